import { describe, expect, it } from 'vitest';
import { inPlace, newSince } from './use-held.ts';

const row = (id: string, state = 'old') => ({ id, state });

describe('the rows of a list that somebody points at', () => {
  it('keep their order, each with its current state', () => {
    const now = [row('new'), row('a', 'now'), row('b', 'now')];
    expect(inPlace([row('a'), row('b')], now)).toEqual([row('a', 'now'), row('b', 'now')]);
  });

  it('stay even if the list no longer has them', () => {
    expect(inPlace([row('gone'), row('a')], [row('a', 'now')])).toEqual([row('gone'), row('a', 'now')]);
  });

  it('tell how many rows are new on the pages that were shown', () => {
    const before = new Map([[1, [row('a')]]]);
    expect(newSince(before, new Map([[1, [row('new'), row('a')]]]))).toBe(1);
    expect(newSince(before, new Map([[2, [row('further down')]]]))).toBe(0);
  });
});
