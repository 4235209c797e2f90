import { describe, expect, it } from 'vitest';
import { matching, type PaletteItem } from './palette-items.ts';

const item = (words: string, note?: string): PaletteItem => ({
  id: words,
  words,
  note,
  icon: 'home',
  run: () => undefined,
});
const words = (items: PaletteItem[], text: string, most?: number) =>
  matching([{ title: 'All', items }], text, most).flatMap((section) => section.items.map((each) => each.words));

describe('the palette', () => {
  it('finds items that contain each word, in any order and case', () => {
    const items = [item('HelloWeb / checkout', 'in prod'), item('HelloWeb / search', 'in prod')];
    expect(words(items, 'PROD check')).toEqual(['HelloWeb / checkout']);
  });

  it('ranks words that begin with the typed text first', () => {
    expect(words([item('subscribe'), item('my script')], 'scri')).toEqual(['my script', 'subscribe']);
  });

  it('ranks a match of the name before one of the place', () => {
    expect(words([item('HelloWeb / a', 'shop'), item('HelloWeb / shop', 'prod')], 'shop', 1)).toEqual([
      'HelloWeb / shop',
    ]);
  });

  it('shows everything up to a limit if nothing is typed, and leaves out empty sections', () => {
    expect(words([item('a'), item('b'), item('c')], '', 2)).toEqual(['a', 'b']);
    expect(matching([{ title: 'All', items: [item('a')] }], 'x')).toEqual([]);
  });

  it('finds letters with accents by their plain form', () => {
    expect(words([item('Café')], 'cafe')).toEqual(['Café']);
  });
});
