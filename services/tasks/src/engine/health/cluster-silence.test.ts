import { expect, test } from 'vitest';
import { clusterSilence, type HeardCluster } from './cluster-silence.ts';

const now = '2026-11-23T20:00:00.000Z';
const answering: HeardCluster = {
  name: 'prod',
  is_ok: true,
  ignore: false,
  not_ok_reason: null,
  last_seen_at: '2026-11-23T19:59:30.000Z',
  applied_at: '2026-11-23T19:59:40.000Z',
};
const { last_seen_at, applied_at } = answering;
const longAgo = '2026-11-23T19:57:00.000Z';

test.for<[string, Partial<HeardCluster>, { reason: string; since: string } | null]>([
  ['that answers is not silent', {}, null],
  ['whose row arrived late is not silent', { last_seen_at: longAgo }, null],
  [
    'that is ignored is silent, also if it answers',
    { ignore: true },
    { reason: 'the cluster prod is ignored', since: applied_at },
  ],
  [
    'that does not answer is silent since it was last seen',
    { is_ok: false, not_ok_reason: 'connection refused' },
    { reason: 'the cluster prod does not answer: connection refused', since: last_seen_at },
  ],
  [
    'whose reason is long has the start of it',
    { is_ok: false, not_ok_reason: 'x'.repeat(2_000) },
    { reason: `the cluster prod does not answer: ${'x'.repeat(966)}`, since: last_seen_at },
  ],
  [
    'without a reason, as of a previous version, is silent all the same',
    { is_ok: false },
    { reason: 'the cluster prod does not answer', since: last_seen_at },
  ],
  [
    'whose row has not arrived for three minutes is silent, whatever that row says',
    { last_seen_at: '2026-11-23T19:50:00.000Z', applied_at: longAgo },
    { reason: 'nothing is heard of the cluster prod', since: longAgo },
  ],
])('a cluster %s', ([, fields, expected]) => {
  expect(clusterSilence({ ...answering, ...fields }, now)).toEqual(expected);
});
