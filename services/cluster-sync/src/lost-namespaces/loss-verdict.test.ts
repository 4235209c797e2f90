import { DeploymentStatus } from '@berth/contracts/resources/deployments/deployments';
import { expect, test } from 'vitest';
import { verdictByPlace, verdictByNamespace } from './loss-verdict.ts';

const id = '5b0bd2c8-7a7e-4a5f-9f0e-6a5a0f7f3f10';
const lost = { cluster_id: 'c1', namespace: 'web-one', deployment_id: id, age_ms: 1_000 };
const place = {
  id,
  kind_id: 'k',
  env_id: 'e',
  cluster_id: 'c1',
  namespace: 'web-one',
  status: 'Running' as const,
  revision_id: 'r',
};

test('a lost namespace is forgotten if its deployment is elsewhere', () => {
  expect(verdictByPlace(lost, null)).toBe('forget');
  expect(verdictByPlace(lost, { ...place, cluster_id: 'c2' })).toBe('forget');
  expect(verdictByPlace(lost, { ...place, namespace: 'web-two' })).toBe('forget');
});

test('the status of the deployment decides what to do about its lost namespace', () => {
  const verdicts = DeploymentStatus.options.map((status) => [status, verdictByPlace(lost, { ...place, status })]);

  expect(Object.fromEntries(verdicts)).toEqual({
    Unknown: 'forget',
    Installing: 'wait',
    Renaming: 'wait',
    Upgrading: 'wait',
    Running: 'read',
    Error: 'forget',
    Uninstalling: 'forget',
    Uninstalled: 'forget',
    Deleting: 'forget',
  });
});

const record = { deployment_id: id, mark: null, uid: 'u' };
const namespace = (status: object, uid = 'u') => ({ metadata: { name: 'web-one', uid }, status });
const held = {
  phase: 'Terminating',
  conditions: [
    {
      type: 'NamespaceFinalizersRemaining',
      status: 'True',
      reason: 'SomeFinalizersRemain',
      message: 'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    },
  ],
};

test.for<[string, unknown, number, unknown]>([
  ['is gone', null, 0, { report: 'The namespace web-one was deleted from the cluster while the deployment ran' }],
  ['is there again', namespace({ phase: 'Active' }), 0, 'forget'],
  ['is being deleted', namespace(held), 59_999, 'wait'],
  [
    'is being deleted for a minute',
    namespace(held),
    60_000,
    {
      report:
        'The namespace web-one is being deleted: Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    },
  ],
  [
    'was made anew by somebody',
    namespace({ phase: 'Active' }, 'another'),
    0,
    { report: 'The namespace web-one was deleted from the cluster and made anew by somebody else' },
  ],
])('the verdict on a lost namespace that %s', ([, object, age_ms, verdict]) => {
  expect(verdictByNamespace({ ...lost, age_ms }, { namespace: object, record })).toEqual(verdict);
});
