import { loopCost } from '@berth/testing/loop-cost';
import { describe, expect, test } from 'vitest';
import { type HealthObject, patienceMs, rollUp } from './roll-up.ts';

const now = '2026-11-23T20:00:00.000Z';
const ago = (ms: number) => new Date(Date.parse(now) - ms).toISOString();
let next = 0;
const object = (kind: string, state: HealthObject['state'], fields: Partial<HealthObject> = {}): HealthObject => ({
  id: `${(next += 1)}`,
  kind,
  name: `${kind.toLowerCase()}-${next}`,
  state,
  since: ago(60_000),
  cause: null,
  message: null,
  parent_id: null,
  parent_kind: null,
  created_at: null,
  ...fields,
});
const namespace = object('Namespace', 'Healthy');
const web = object('Deployment', 'Healthy');
const idle = object('Deployment', 'Suspended');
const cron = object('CronJob', 'Healthy');
const job = (state: HealthObject['state'], created_at: string) =>
  object('Job', state, { parent_id: cron.id, parent_kind: 'CronJob', created_at, cause: 'BackoffLimitExceeded' });
const crash = (fields: Partial<HealthObject> = {}) =>
  object('Pod', 'Degraded', { cause: 'CrashLoopBackOff', message: 'it crashes', ...fields });

test('the Jobs of fifty namespaces are rolled up in a short turn', async () => {
  const jobs = Array.from({ length: 1_000 }, (_, index) => job('Degraded', ago(index)));
  const pods = Array.from({ length: 1_000 }, () => crash({ parent_id: 'gone', parent_kind: 'Job' }));

  const { longestTurnMs } = await loopCost(() => {
    for (let place = 0; place < 50; place += 1) rollUp(place % 2 ? jobs : pods, now);
  });

  // If each is compared with all others, it takes some ten times as long.
  expect(longestTurnMs).toBeLessThan(75);
  expect(rollUp(jobs, now)?.causes).toHaveLength(1);
});

test.for<[string, HealthObject[], string]>([
  ['only a namespace is healthy', [namespace], 'Healthy'],
  ['a workload with all its pods is healthy', [namespace, web], 'Healthy'],
  ['a crash is degraded, whatever else is well', [namespace, web, crash()], 'Degraded'],
  ['something under way is progressing', [namespace, web, object('Service', 'Progressing')], 'Progressing'],
  ['a crash counts more than what is under way', [object('Pod', 'Progressing'), crash()], 'Degraded'],
  [
    'something under way for ten minutes is degraded',
    [object('Pod', 'Progressing', { since: ago(patienceMs) })],
    'Degraded',
  ],
  ['workloads that are all scaled to nothing are suspended', [namespace, idle, object('Job', 'Healthy')], 'Suspended'],
  ['one of two workloads scaled to nothing is healthy', [namespace, web, idle], 'Healthy'],
  ['a suspended workload whose Job failed is degraded', [idle, object('Job', 'Degraded')], 'Degraded'],
  ['a pod of a Job that waits is healthy', [cron, job('Healthy', '1')], 'Healthy'],
  ['the last Job of a CronJob decides: failed', [cron, job('Healthy', '1'), job('Degraded', '2')], 'Degraded'],
  ['the last Job of a CronJob decides: succeeded', [cron, job('Degraded', '1'), job('Healthy', '2')], 'Healthy'],
  [
    'a pod of a hook, whose Job says nothing, is healthy',
    [web, crash({ parent_id: 'hook', parent_kind: 'Job' })],
    'Healthy',
  ],
  [
    'an object that only explains, such as a pod evicted days ago, does not decide the state',
    [web, object('Pod', 'Explains', { cause: 'Evicted' })],
    'Healthy',
  ],
])('%s', ([, objects, state]) => {
  expect(rollUp(objects, now)?.state).toBe(state);
});

test('a pod of a Job that waits says nothing for ten minutes, and is degraded then', () => {
  const running = object('Job', 'Healthy');
  const waiting = (since: string) => object('Pod', 'Waiting', { since, parent_id: running.id, parent_kind: 'Job' });

  expect(rollUp([running, waiting(ago(1_000))], now)).toMatchObject({
    state: 'Healthy',
    causes: [],
    changesAt: new Date(Date.parse(now) - 1_000 + patienceMs).toISOString(),
  });
  expect(rollUp([running, waiting(ago(patienceMs))], now)).toMatchObject({ state: 'Degraded', changesAt: null });
});

test('nothing is known without objects', () => {
  expect(rollUp([], now)).toBeNull();
});

describe('the causes', () => {
  const causesOf = (...objects: HealthObject[]) => rollUp(objects, now)?.causes.map(({ cause }) => cause);

  test('begin with the most specific one', () => {
    const lacks = object('Deployment', 'Degraded', { cause: 'ReplicasUnavailable' });
    const late = object('Deployment', 'Degraded', { cause: 'ProgressDeadlineExceeded', since: ago(1) });
    const evicted = object('Pod', 'Explains', { cause: 'Evicted' });
    const oom = object('Pod', 'Degraded', { cause: 'OOMKilled' });
    const unready = object('Pod', 'Degraded', { cause: 'ContainersNotReady' });
    const lost = object('PersistentVolumeClaim', 'Degraded', { cause: 'ClaimLost' });

    expect(causesOf(lacks, late, unready, evicted, lost, crash(), oom)).toEqual([
      'OOMKilled',
      'CrashLoopBackOff',
      'ClaimLost',
      'ContainersNotReady',
      'Evicted',
      'ReplicasUnavailable',
      'ProgressDeadlineExceeded',
    ]);
  });

  test('leave out a pod that ended long before the trouble of now', () => {
    const lacks = object('Deployment', 'Degraded', { cause: 'MinimumReplicasUnavailable', since: ago(10_000) });
    const old = object('Pod', 'Explains', { cause: 'Evicted', since: ago(86_400_000) });

    expect(causesOf(lacks, old)).toEqual(['MinimumReplicasUnavailable']);
  });

  test('are at most ten, and many pods with one cause do not hide other causes', () => {
    const causes = causesOf(...Array.from({ length: 30 }, () => crash()), object('Deployment', 'Degraded'));

    expect(causes).toHaveLength(10);
    expect(causes).toContain('NotReady');
  });

  test('have words also where Kubernetes gives none, and the oldest of equals is first', () => {
    const old = crash({ since: ago(120_000), name: 'z' });

    expect(rollUp([crash({ name: 'a' }), old, web, object('Deployment', 'Progressing')], now)?.causes).toMatchObject([
      { name: 'z' },
      { cause: 'Progressing', message: 'it is being rolled out' },
      { name: 'a' },
    ]);
  });
});
