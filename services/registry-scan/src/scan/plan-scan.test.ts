import { describe, expect, test } from 'vitest';
import { planScan, type ScanPlan } from './plan-scan.ts';
import type { KnownTag } from './tag-repository.ts';

const times = { now: new Date('2026-01-01T01:00:00Z'), recheckAfterMs: 300_000 };
const tag = (name: string, fields: Partial<KnownTag> = {}): KnownTag => ({
  tag: name,
  digest: 'sha256:a',
  isChart: true,
  settled: true,
  observedAt: '2026-01-01T00:59:00Z',
  ...fields,
});
const old = { observedAt: '2026-01-01T00:55:00Z' };

describe('planScan', () => {
  test.for<[string, string[], KnownTag[], ScanPlan]>([
    ['looks at a new tag', ['a'], [], { look: ['a'], check: [], gone: [] }],
    ['leaves a tag that was just seen', ['a'], [tag('a')], { look: [], check: [], gone: [] }],
    ['checks a tag that may have moved', ['a'], [tag('a', old)], { look: [], check: [tag('a', old)], gone: [] }],
    [
      'reads again what could not be read, but not at every poll',
      ['a', 'b'],
      [tag('a', { settled: false, ...old }), tag('b', { settled: false })],
      { look: ['a'], check: [], gone: [] },
    ],
    ['misses what is not listed', ['a'], [tag('a'), tag('b'), tag('c')], { look: [], check: [], gone: ['b', 'c'] }],
    ['misses everything where nothing is listed', [], [tag('a')], { look: [], check: [], gone: ['a'] }],
    ['takes a tag that is listed twice once', ['a', 'a'], [], { look: ['a'], check: [], gone: [] }],
  ])('%s', ([, listed, known, plan]) => {
    expect(planScan(listed, known, times)).toEqual(plan);
  });
});
