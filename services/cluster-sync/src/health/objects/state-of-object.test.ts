import { causeOf } from '@berth/kube/causes/cause-of';
import { expect, test } from 'vitest';
import type { ObjectState } from './object-state.ts';
import { stateOfObject } from './state-of-object.ts';

const owner = (kind: string) => ({
  ownerReferences: [{ apiVersion: 'v1', kind, name: 'x', uid: 'u', controller: true }],
});
const start = '2026-11-23T10:00:00Z';
const later = '2026-11-23T11:00:00Z';
const ready = (status: string, lastTransitionTime = start, more: object = { reason: 'ContainersNotReady' }) => ({
  type: 'Ready',
  status,
  lastTransitionTime,
  ...more,
});
const container = (fields: object) => ({ name: 'web', state: { running: { startedAt: start } }, ...fields });
const pod = (status: object, metadata: object = owner('ReplicaSet')) => ({
  metadata,
  status: { phase: 'Running', ...status },
});
const waiting = (reason: string) => pod({ containerStatuses: [container({ state: { waiting: { reason } } })] });
const terminated = { exitCode: 1, reason: 'Error' };
const complete = { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' };
const available = (status: string) => ({ type: 'Available', status });
const workload = (status: object, spec: object = {}, metadata: object = {}) => ({
  metadata: { generation: 2, ...metadata },
  spec: { replicas: 2, ...spec },
  status: { observedGeneration: 2, ...status },
});
const full = { replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2 };
const hook = { annotations: { 'helm.sh/hook': 'pre-upgrade' } };
const failed = { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] };

test.for<[string, string, unknown, ObjectState | null]>([
  ['Pod', 'that is ready says nothing', pod({ conditions: [ready('True')] }), null],
  ['Pod', 'that is completed says nothing', pod({ phase: 'Succeeded' }), null],
  [
    'Pod',
    'that is being deleted says nothing',
    { ...waiting('CrashLoopBackOff'), metadata: { deletionTimestamp: later } },
    null,
  ],
  ['Pod', 'that crashes', waiting('CrashLoopBackOff'), 'Degraded'],
  ['Pod', 'whose image is gone', waiting('ErrImagePull'), 'Degraded'],
  ['Pod', 'whose configuration is missing', waiting('CreateContainerConfigError'), 'Degraded'],
  ['Pod', 'that is being created', waiting('ContainerCreating'), 'Progressing'],
  ['Pod', 'that starts', pod({ conditions: [ready('False')], containerStatuses: [container({})] }), 'Progressing'],
  [
    'Pod',
    'that ran out of memory',
    pod({ containerStatuses: [container({ state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } })] }),
    'Degraded',
  ],
  [
    'Pod',
    'that starts again after a crash',
    pod({ conditions: [ready('False')], containerStatuses: [container({ lastState: { terminated } })] }),
    'Degraded',
  ],
  [
    'Pod',
    'that was ready and is not now',
    pod({ conditions: [ready('False', later)], containerStatuses: [container({})] }),
    'Degraded',
  ],
  [
    'Pod',
    'on a lost node',
    pod({
      conditions: [ready('False', later, {}), { type: 'ContainersReady', status: 'True' }],
      containerStatuses: [container({})],
    }),
    'Degraded',
  ],
  [
    'Pod',
    'on a lost node that is being replaced',
    pod(
      { conditions: [ready('False', later, {}), { type: 'ContainersReady', status: 'True' }] },
      { ...owner('ReplicaSet'), deletionTimestamp: later },
    ),
    'Explains',
  ],
  ['Pod', 'that was evicted and has a controller', pod({ phase: 'Failed', reason: 'Evicted' }), 'Explains'],
  ['Pod', 'that was evicted and has none', pod({ phase: 'Failed', reason: 'Evicted' }, {}), 'Degraded'],
  ['Pod', 'of a Job that starts', pod({ phase: 'Pending' }, owner('Job')), 'Waiting'],
  ['Pod', 'of a Job that failed', pod({ phase: 'Failed' }, owner('Job')), 'Explains'],
  ['Pod', 'of another shape says nothing', { metadata: 7, status: [] }, null],
  ['Pod', 'that is no object says nothing', null, null],

  ['Deployment', 'with all replicas', workload({ ...full, conditions: [complete, available('True')] }), 'Healthy'],
  ['Deployment', 'without conditions, as older ones', workload(full), 'Healthy'],
  [
    'Deployment',
    'that is scaled to nothing',
    workload({ conditions: [available('True')] }, { replicas: 0 }),
    'Suspended',
  ],
  ['Deployment', 'that is new', { metadata: { generation: 1 }, spec: { replicas: 2 }, status: {} }, 'Progressing'],
  ['Deployment', 'whose change is not seen', workload({ ...full, observedGeneration: 1 }), 'Progressing'],
  [
    'Deployment',
    'that is rolled out',
    workload({
      ...full,
      updatedReplicas: 1,
      conditions: [{ ...complete, reason: 'ReplicaSetUpdated' }, available('False')],
    }),
    'Progressing',
  ],
  [
    'Deployment',
    'that lost more pods than it tolerates',
    workload({ ...full, availableReplicas: 0, conditions: [complete, available('False')] }),
    'Degraded',
  ],
  [
    'Deployment',
    'that lacks as many pods as it tolerates, or is scaled up',
    workload({ ...full, availableReplicas: 1, conditions: [complete, available('True')] }),
    'Progressing',
  ],
  [
    'Deployment',
    'that is late',
    workload({ ...full, conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] }),
    'Degraded',
  ],
  [
    'Deployment',
    'whose pods are refused',
    workload({ conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' }] }),
    'Degraded',
  ],
  ['Deployment', 'that is paused in a rollout', workload({ ...full, updatedReplicas: 0 }, { paused: true }), 'Healthy'],
  ['Deployment', 'that is being deleted says nothing', workload({}, {}, { deletionTimestamp: later }), null],

  ['ReplicaSet', 'of a Deployment says nothing', workload({}, {}, owner('Deployment')), null],
  ['ReplicaSet', 'of its own that lacks pods', workload({ availableReplicas: 1 }), 'Progressing'],
  ['StatefulSet', 'with all replicas', workload({ ...full, currentRevision: 'a', updateRevision: 'a' }), 'Healthy'],
  ['StatefulSet', 'that lacks pods', workload({ readyReplicas: 1 }), 'Progressing'],
  ['StatefulSet', 'that is updated', workload({ ...full, currentRevision: 'a', updateRevision: 'b' }), 'Progressing'],
  [
    'StatefulSet',
    'that is updated in part on purpose',
    workload(
      { ...full, currentRevision: 'a', updateRevision: 'b' },
      { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } },
    ),
    'Healthy',
  ],
  ['StatefulSet', 'that is scaled to nothing', workload({}, { replicas: 0 }), 'Suspended'],
  [
    'DaemonSet',
    'on all its nodes',
    workload({ desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2 }),
    'Healthy',
  ],
  [
    'DaemonSet',
    'that lacks pods',
    workload({ desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 1 }),
    'Progressing',
  ],
  ['DaemonSet', 'for which there is no node says nothing', workload({ desiredNumberScheduled: 0 }), null],
  ['Job', 'that runs', workload({ active: 1 }), 'Healthy'],
  ['Job', 'that failed', workload(failed), 'Degraded'],
  ['Job', 'that is suspended', workload({}, { suspend: true }), 'Suspended'],
  ['Job', 'that failed as a hook says nothing', workload(failed, {}, hook), null],
  ['CronJob', 'that is suspended', workload({}, { suspend: true }), 'Suspended'],
  ['CronJob', 'that is not', workload({}), 'Healthy'],
  ['PersistentVolumeClaim', 'that is bound says nothing', { status: { phase: 'Bound' } }, null],
  ['PersistentVolumeClaim', 'that lost its volume', { status: { phase: 'Lost' } }, 'Degraded'],
  ['PersistentVolumeClaim', 'that waits for a volume', { status: { phase: 'Pending' } }, 'Explains'],
  ['Service', 'without its load balancer', { spec: { type: 'LoadBalancer' }, status: {} }, 'Progressing'],
  ['Service', 'says nothing', { spec: { type: 'ClusterIP' } }, null],
  ['Namespace', 'is there', { status: { phase: 'Active' } }, 'Healthy'],
  [
    'Namespace',
    'that is being deleted',
    { metadata: { deletionTimestamp: later }, status: { phase: 'Terminating' } },
    'Progressing',
  ],
  ['Ingress', 'says nothing', {}, null],
])('a %s %s', ([kind, , object, state]) => {
  expect(stateOfObject(kind, object, causeOf(kind, object))).toBe(state);
});
