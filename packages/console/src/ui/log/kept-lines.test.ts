import { describe, expect, it } from 'vitest';
import { type KeptLines, matchingLines, noLines, partsOf, shownLine, withLines } from './kept-lines.ts';

const most = { lines: 3, units: 10 };

describe('the kept lines of a log', () => {
  it('are the last ones, and their numbers count from the beginning of the log', () => {
    const kept = withLines(withLines(noLines, ['a', 'b'], most), ['c', 'd', 'e'], most);
    expect(kept).toEqual({ lines: ['c', 'd', 'e'], dropped: 2, units: 3 });
    expect(matchingLines(kept, 'D')).toEqual([4]);
  });

  it('are fewer if they are long, but at least one', () => {
    expect(withLines(noLines, ['123456', '12345'], most)).toEqual({ lines: ['12345'], dropped: 1, units: 5 });
    expect(withLines(noLines, ['12345678901'], most).lines).toEqual(['12345678901']);
  });

  it('stay the same object if nothing is added', () => {
    const kept: KeptLines = { lines: ['a'], dropped: 0, units: 1 };
    expect(withLines(kept, [], most)).toBe(kept);
  });

  it('lose their terminal codes, and are cut if they are too long', () => {
    expect(shownLine('\u001B[1;31merror\u001B[0m: \u001B]0;title\u0007no\r')).toBe('error: no');
    expect(shownLine('\u001B]8;;https://example.test\u001B\\link')).toBe('link');
    expect(shownLine('x'.repeat(9_000))).toBe(`${'x'.repeat(8_192)}…`);
  });

  it('are shown in linear time, whatever codes they contain', () => {
    const before = performance.now();
    for (let line = 0; line < 5; line += 1) shownLine('\u001B]'.repeat(32_000));
    expect(performance.now() - before).toBeLessThan(1_500);
  });
});

describe('a search in a log', () => {
  it('ignores case, and finds every match in a line', () => {
    expect(partsOf('Error: no error', 'error')).toEqual([
      { text: 'Error', isMatch: true },
      { text: ': no ', isMatch: false },
      { text: 'error', isMatch: true },
    ]);
  });

  it('finds nothing for an empty text', () => {
    expect(matchingLines({ lines: ['a'], dropped: 0, units: 1 }, '')).toEqual([]);
    expect(partsOf('a', '')).toEqual([{ text: 'a', isMatch: false }]);
  });

  it('marks nothing in a line that becomes longer in lower case', () => {
    expect(partsOf('İİ error', 'error')).toEqual([{ text: 'İİ error', isMatch: false }]);
  });
});
