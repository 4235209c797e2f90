import { describe, expect, test } from 'vitest';
import { planScan, type ScanPlan } from './plan-scan.ts';
import type { ListedTag } from '../connection/registry-client.ts';
import type { KnownTag } from './tag-repository.ts';

const times = { now: new Date('2026-01-01T01:00:00Z'), recheckAfterMs: 300_000 };
const tag = (name: string, fields: Partial<KnownTag> = {}): KnownTag => ({
  tag: name,
  digest: 'sha256:a',
  isChart: true,
  isFinal: true,
  observedAt: '2026-01-01T00:59:00Z',
  ...fields,
});
const old = { observedAt: '2026-01-01T00:55:00Z' };

describe('planScan', () => {
  const listedAs = (digest: string | null, ...tags: string[]): ListedTag[] =>
    tags.map((name) => ({ tag: name, digest }));

  test.for<[string, string[], KnownTag[], ScanPlan]>([
    ['reads a new tag', ['a'], [], { read: ['a'], check: [], gone: [] }],
    ['skips a tag that was just checked', ['a'], [tag('a')], { read: [], check: [], gone: [] }],
    ['checks a tag that may have moved', ['a'], [tag('a', old)], { read: [], check: [tag('a', old)], gone: [] }],
    [
      'reads a tag without a final result again, but not at every poll',
      ['a', 'b'],
      [tag('a', { isFinal: false, ...old }), tag('b', { isFinal: false })],
      { read: ['a'], check: [], gone: [] },
    ],
    [
      'removes tags that are not listed',
      ['a'],
      [tag('a'), tag('b'), tag('c')],
      { read: [], check: [], gone: ['b', 'c'] },
    ],
    ['removes all tags if none is listed', [], [tag('a')], { read: [], check: [], gone: ['a'] }],
    ['reads a tag only once if it is listed twice', ['a', 'a'], [], { read: ['a'], check: [], gone: [] }],
  ])('%s', ([, listed, known, plan]) => {
    expect(planScan(listedAs(null, ...listed), known, times)).toEqual(plan);
  });

  test('a list with digests needs no checks', () => {
    const known = [tag('a', old), tag('b', old), tag('c', { isFinal: false, ...old })];
    const listed = [...listedAs('sha256:a', 'a', 'c'), ...listedAs('sha256:b', 'b')];

    expect(planScan(listed, known, times)).toEqual({ read: ['c', 'b'], check: [], gone: [] });
  });

  test('the tag that was checked longest ago is checked first', () => {
    const older = { observedAt: '2026-01-01T00:50:00Z' };

    const { check } = planScan(listedAs(null, 'a', 'b'), [tag('a', old), tag('b', older)], times);

    expect(check.map((entry) => entry.tag)).toEqual(['b', 'a']);
  });
});
