import { describe, expect, it } from 'vitest';
import { inPlace, newSince } from './use-held.ts';

const row = (id: string, state = 'old') => ({ id, state });

describe('rows under the pointer', () => {
  it('stay in their places, each as it is now', () => {
    const now = [row('new'), row('a', 'now'), row('b', 'now')];
    expect(inPlace([row('a'), row('b')], now)).toEqual([row('a', 'now'), row('b', 'now')]);
  });

  it('stay where the list has them no more', () => {
    expect(inPlace([row('gone'), row('a')], [row('a', 'now')])).toEqual([row('gone'), row('a', 'now')]);
  });

  it('announce how many are new, on the pages that were there', () => {
    const before = new Map([[1, [row('a')]]]);
    expect(newSince(before, new Map([[1, [row('new'), row('a')]]]))).toBe(1);
    expect(newSince(before, new Map([[2, [row('further down')]]]))).toBe(0);
  });
});
