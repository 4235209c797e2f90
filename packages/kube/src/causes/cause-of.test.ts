import { expect, test } from 'vitest';
import { causeOf } from './cause-of.ts';

const pod = (status: object) => ({ status: { phase: 'Pending', ...status } });
const container = (state: object, more: object = {}) => ({ name: 'web', state, ...more });
const waiting = (reason: string, message?: string, more: object = {}) =>
  pod({ containerStatuses: [container({ waiting: { reason, message } }, more)] });
const condition = (type: string, status: string, reason?: string, message?: string) => ({
  type,
  status,
  reason,
  message,
});

const table: [string, string, object, string | null, string?][] = [
  ['a pod that is ready', 'Pod', pod({ conditions: [condition('Ready', 'True')] }), null],
  ['a pod that has done its work', 'Pod', pod({ phase: 'Succeeded' }), null],
  ['a pod without a status', 'Pod', {}, null],
  [
    'an image that cannot be pulled',
    'Pod',
    waiting('ImagePullBackOff', 'Back-off pulling image "web:1"'),
    'ImagePullBackOff',
    'container web is waiting: ImagePullBackOff: Back-off pulling image "web:1"',
  ],
  [
    'an image name that is not valid',
    'Pod',
    waiting('InvalidImageName'),
    'InvalidImageName',
    'container web is waiting: InvalidImageName',
  ],
  [
    'a container that crashes',
    'Pod',
    waiting('CrashLoopBackOff', undefined, { lastState: { terminated: { exitCode: 2, reason: 'Error' } } }),
    'CrashLoopBackOff',
    'container web is waiting: CrashLoopBackOff, last exit code 2',
  ],
  [
    'a container that crashes for want of memory',
    'Pod',
    waiting('CrashLoopBackOff', 'back-off 5m0s', { lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } } }),
    'OOMKilled',
    'container web took more memory than its limit (exit code 137 (OOMKilled)), and keeps restarting',
  ],
  [
    'a container that ran out of memory',
    'Pod',
    pod({ containerStatuses: [container({ terminated: { exitCode: 137, reason: 'OOMKilled' } })] }),
    'OOMKilled',
    'container web took more memory than its limit (exit code 137 (OOMKilled))',
  ],
  [
    'a container that failed',
    'Pod',
    pod({ phase: 'Failed', containerStatuses: [container({ terminated: { exitCode: 3, reason: 'Error' } })] }),
    'ContainerExited',
    'container web ended with exit code 3',
  ],
  [
    'a container that cannot be started',
    'Pod',
    pod({
      containerStatuses: [container({ terminated: { exitCode: 128, reason: 'StartError', message: 'no such file' } })],
    }),
    'StartError',
    'container web ended with exit code 128 (StartError): no such file',
  ],
  [
    'an init container that is stuck',
    'Pod',
    pod({
      initContainerStatuses: [{ name: 'first', state: { waiting: { reason: 'ErrImagePull' } } }],
      containerStatuses: [container({ waiting: { reason: 'PodInitializing' } })],
    }),
    'ErrImagePull',
    'container first is waiting: ErrImagePull',
  ],
  [
    'a stuck container behind one that is being created',
    'Pod',
    pod({
      containerStatuses: [
        container({ waiting: { reason: 'ContainerCreating' } }),
        { name: 'side', state: { waiting: { reason: 'CreateContainerConfigError', message: 'secret "x" not found' } } },
      ],
    }),
    'CreateContainerConfigError',
    'container side is waiting: CreateContainerConfigError: secret "x" not found',
  ],
  [
    'a container that is being created',
    'Pod',
    waiting('ContainerCreating'),
    'ContainerCreating',
    'container web is waiting: ContainerCreating',
  ],
  [
    'a pod without a node',
    'Pod',
    pod({ conditions: [condition('PodScheduled', 'False', 'Unschedulable', '0/3 nodes are available')] }),
    'Unschedulable',
    'unschedulable: 0/3 nodes are available',
  ],
  [
    'a pod that fails its readiness probe',
    'Pod',
    pod({
      phase: 'Running',
      conditions: [
        condition('Ready', 'False', 'ContainersNotReady', 'containers with unready status: [web]'),
        condition('ContainersReady', 'False', 'ContainersNotReady', 'containers with unready status: [web]'),
      ],
      containerStatuses: [container({ running: {} })],
    }),
    'ContainersNotReady',
    'not ready: containers with unready status: [web]',
  ],
  [
    'a pod on a node that does not report',
    'Pod',
    pod({ phase: 'Running', conditions: [condition('Ready', 'False'), condition('ContainersReady', 'True')] }),
    'NodeLost',
    'its node does not report',
  ],
  [
    'an evicted pod',
    'Pod',
    pod({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' }),
    'Evicted',
    'The node was low on resource: memory.',
  ],
  ['a pod that nobody took up', 'Pod', pod({}), 'NotReady', 'not ready, its phase is Pending'],

  ['a Deployment with all its pods', 'Deployment', { spec: { replicas: 2 }, status: { availableReplicas: 2 } }, null],
  ['a Deployment without a status', 'Deployment', { spec: { replicas: 2 } }, null],
  [
    'a Deployment that is late',
    'Deployment',
    {
      spec: { replicas: 1 },
      status: {
        conditions: [
          condition(
            'Progressing',
            'False',
            'ProgressDeadlineExceeded',
            'ReplicaSet "web-1" has timed out progressing.',
          ),
        ],
      },
    },
    'ProgressDeadlineExceeded',
    'ReplicaSet "web-1" has timed out progressing.',
  ],
  [
    'a Deployment whose pods are refused, although it is also late',
    'Deployment',
    {
      status: {
        conditions: [
          condition('Progressing', 'False', 'ProgressDeadlineExceeded', 'late'),
          condition('ReplicaFailure', 'True', 'FailedCreate', 'pods "web-" is forbidden: exceeded quota'),
        ],
      },
    },
    'FailedCreate',
    'pods "web-" is forbidden: exceeded quota',
  ],
  [
    'a Deployment with a part of its pods',
    'Deployment',
    { spec: { replicas: 3 }, status: { availableReplicas: 1 } },
    'ReplicasUnavailable',
    '1 of 3 pods are available',
  ],
  [
    'a ReplicaSet whose pods are refused',
    'ReplicaSet',
    { spec: { replicas: 1 }, status: { conditions: [condition('ReplicaFailure', 'True', 'FailedCreate', 'quota')] } },
    'FailedCreate',
    'quota',
  ],
  ['an old ReplicaSet', 'ReplicaSet', { spec: { replicas: 0 }, status: { replicas: 0 } }, null],
  [
    'a StatefulSet without ready pods',
    'StatefulSet',
    { spec: { replicas: 2 }, status: {} },
    'ReplicasUnavailable',
    '0 of 2 pods are available',
  ],
  ['a StatefulSet that is scaled down', 'StatefulSet', { spec: { replicas: 0 }, status: {} }, null],
  [
    'a DaemonSet with a part of its pods',
    'DaemonSet',
    { status: { desiredNumberScheduled: 3, numberAvailable: 2 } },
    'ReplicasUnavailable',
    '2 of 3 pods are available',
  ],
  [
    'a Job that failed',
    'Job',
    {
      status: {
        conditions: [
          condition('Failed', 'True', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit'),
        ],
      },
    },
    'BackoffLimitExceeded',
    'Job has reached the specified backoff limit',
  ],
  ['a Job that is done', 'Job', { status: { conditions: [condition('Complete', 'True')] } }, null],
  ['a suspended Job', 'Job', { spec: { suspend: true } }, 'Suspended', 'the job is suspended'],
  ['a suspended CronJob', 'CronJob', { spec: { suspend: true } }, 'Suspended', 'no jobs are started: it is suspended'],
  [
    'a claim that waits',
    'PersistentVolumeClaim',
    { spec: { storageClassName: 'fast' }, status: { phase: 'Pending' } },
    'ClaimPending',
    'no volume is bound (class fast)',
  ],
  [
    'a claim that lost its volume',
    'PersistentVolumeClaim',
    { status: { phase: 'Lost' } },
    'ClaimLost',
    'the volume of the claim is gone',
  ],
  ['a bound claim', 'PersistentVolumeClaim', { status: { phase: 'Bound' } }, null],
  [
    'a load balancer without an address',
    'Service',
    { spec: { type: 'LoadBalancer' }, status: { loadBalancer: {} } },
    'LoadBalancerPending',
    'the load balancer has no address',
  ],
  [
    'a load balancer with an address',
    'Service',
    { spec: { type: 'LoadBalancer' }, status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } },
    null,
  ],
  ['a service of the cluster alone', 'Service', { spec: { type: 'ClusterIP' } }, null],
  ['an Ingress', 'Ingress', { status: {} }, null],

  ['an active namespace', 'Namespace', { status: { phase: 'Active' } }, null],
  [
    'a namespace whose deletion has begun',
    'Namespace',
    { status: { phase: 'Terminating' } },
    'Terminating',
    'being deleted',
  ],
  [
    'a namespace that finalizers hold',
    'Namespace',
    {
      spec: { finalizers: ['kubernetes'] },
      status: {
        phase: 'Terminating',
        conditions: [
          condition(
            'NamespaceDeletionDiscoveryFailure',
            'False',
            'ResourcesDiscovered',
            'All resources successfully discovered',
          ),
          condition(
            'NamespaceContentRemaining',
            'True',
            'SomeResourcesRemain',
            'Some resources are remaining: configmaps. has 1 resource instances',
          ),
          condition(
            'NamespaceFinalizersRemaining',
            'True',
            'SomeFinalizersRemain',
            'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
          ),
        ],
      },
    },
    'SomeFinalizersRemain',
    'being deleted: Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances; Some resources are remaining: configmaps. has 1 resource instances',
  ],
  [
    'a namespace with a finalizer of its own',
    'Namespace',
    {
      metadata: { finalizers: ['example.com/own'] },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Terminating' },
    },
    'Terminating',
    'being deleted: the namespace itself has finalizers: example.com/own',
  ],
  ['a kind that is not known', 'ConfigMap', { status: { phase: 'Failed' } }, null],
];

test.for(table)('the cause of %s', ([, kind, object, cause, message]) => {
  expect(causeOf(kind, object)).toEqual(cause === null ? null : { cause, message });
});

test('a reason that is not a word does not become a cause, and control characters do not reach the message', () => {
  const odd = waiting('rm -rf /; <script>', 'line one\nline two \u001b[31mred\u202E');

  expect(causeOf('Pod', odd)).toEqual({
    cause: 'NotReady',
    message: 'container web is waiting: rm -rf /; <script>: line one line two  [31mred',
  });
});

test('a malformed part does not hide the cause in another', () => {
  const odd = pod({
    conditions: 'none',
    containerStatuses: [7, { state: 'bad' }, container({ waiting: { reason: 'ErrImagePull' } })],
  });

  expect(causeOf('Pod', odd)).toMatchObject({ cause: 'ErrImagePull' });
});

test.for([null, undefined, 7, 'x', [], { status: 7 }, { status: { conditions: [null], containerStatuses: null } }])(
  '%j never causes an error',
  (object) => {
    for (const kind of ['Pod', 'Deployment', 'Job', 'Namespace', 'Service', 'PersistentVolumeClaim', 'CronJob']) {
      expect(() => causeOf(kind, object)).not.toThrow();
    }
  },
);

test('a message has a bounded length, whatever the object contains', () => {
  const long = waiting('ErrImagePull', 'x'.repeat(1_000_000));

  expect(causeOf('Pod', long)?.message).toHaveLength(500);
});
