import type { Fact } from '@berth/contracts/resources/deployments/why';
import { expect, test } from 'vitest';
import { type Explained, factsOfDeployment } from './facts-of-deployment.ts';

const since = '2026-01-01T00:00:00.000Z';
const deployment: Explained['deployment'] = {
  id: 'd1',
  name: 'shop',
  state: 'Running',
  enabled: true,
  deleting: false,
  reason: null,
  health: null,
  cluster_id: 'c1',
  installed_cluster_id: 'c0',
};
const failed = { id: 't1', ended: 'Failed', finished_at: since } as const;
const running: Fact = { kind: 'task_runs', object: null, since, until: null, message: 'Upgrade is under way' };
const cause = { kind: 'Pod', name: 'web-1', cause: 'CrashLoopBackOff', message: 'exit code 1', since };
const health = { since, reason: 'all is bad', causes: [cause] };

test.for<[string, Partial<Explained['deployment']>, Partial<Explained>, [string, string | null, string][]]>([
  ['is healthy', { health: { ...health, state: 'Healthy' } }, {}, []],
  ['is outdated', { reason: 'r' }, {}, [['outdated', 'd1', 'r']]],
  ['is disabled and still runs', { enabled: false, reason: 'r' }, {}, [['not_uninstalled', 'd1', 'r']]],
  ['is not installed', { state: 'Unknown', reason: 'r' }, {}, [['not_installed', 'd1', 'r']]],
  ['has a failed task', { state: 'Error', reason: 'r' }, { last: failed }, [['task_failed', 't1', 'r']]],
  [
    'has a canceled task',
    { state: 'Error', reason: 'r' },
    { last: { ...failed, ended: 'Canceled' } },
    [['task_canceled', 't1', 'r']],
  ],
  ['lost its namespace', { state: 'Error', reason: 'r' }, {}, [['namespace_lost', 'd1', 'r']]],
  [
    'is deleted, while a task runs',
    { deleting: true, state: 'Uninstalling', reason: 'what the task waits for' },
    { ofTask: [running] },
    [
      ['deletion', 'd1', 'it is being deleted'],
      ['task_runs', null, 'Upgrade is under way'],
    ],
  ],
  [
    'has a task and a workload that is degraded',
    { health: { ...health, state: 'Degraded' } },
    { ofTask: [running] },
    [
      ['task_runs', null, 'Upgrade is under way'],
      ['workload_degraded', 'web-1', 'CrashLoopBackOff: exit code 1'],
    ],
  ],
  [
    'has a cause that its message names',
    {
      health: {
        ...health,
        state: 'Degraded',
        causes: [{ ...cause, cause: 'Unschedulable', message: 'unschedulable: 0/3 nodes' }],
      },
    },
    {},
    [['workload_degraded', 'web-1', 'unschedulable: 0/3 nodes']],
  ],
  [
    'has a cluster that does not answer',
    { health: { ...health, state: 'Unknown' }, installed_cluster_id: 'c1' },
    {},
    [['workload_unknown', 'c1', 'all is bad']],
  ],
  [
    'leaves a cluster that does not answer, which may be of another env',
    { health: { ...health, state: 'Unknown' } },
    {},
    [['workload_unknown', null, 'all is bad']],
  ],
  [
    'makes progress without a cause',
    { health: { ...health, causes: [], state: 'Progressing' } },
    {},
    [['workload_progressing', null, 'all is bad']],
  ],
])('the facts of a deployment that %s', ([, fields, more, expected]) => {
  const facts = factsOfDeployment({ deployment: { ...deployment, ...fields }, last: null, ofTask: [], ...more });

  expect(facts.map(({ kind, object, message }) => [kind, object?.id ?? object?.name ?? null, message])).toEqual(
    expected,
  );
});
