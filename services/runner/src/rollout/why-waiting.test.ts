import { describe, expect, test } from 'vitest';
import {
  ClusterEvent,
  CustomObject,
  Job,
  Pod,
  ReplicaSetMetadata,
  VolumeClaim,
  Workload,
} from '../cluster/kube-objects.ts';
import { awaitedHook, awaitedOf } from './awaited.ts';
import type { WorkloadKind } from './rollout-of.ts';
import { whyWaiting } from './why-waiting.ts';

interface Cluster {
  hooks?: object[];
  workloads?: object[];
  barePods?: object[];
  pods?: object[];
  replicaSets?: object[];
  releaseClaims?: object[];
  claims?: object[];
  events?: object[];
  custom?: object[];
}

const why = (
  { hooks = [], workloads = [], barePods = [], pods = [], replicaSets = [], ...rest }: Cluster,
  words = (text: string) => text,
) =>
  whyWaiting(
    awaitedOf({
      hooks: hooks.map((hook) => Job.parse(hook)),
      workloads: workloads.map((one) => ({ ...Workload.parse(one), kind: kindOf(one) })),
      pods: barePods.map((pod) => Pod.parse(pod)),
      claims: (rest.releaseClaims ?? []).map((claim) => VolumeClaim.parse(claim)),
      custom: (rest.custom ?? []).map((object) => CustomObject.parse(object)),
    }),
    {
      pods: [...pods, ...barePods].map((pod) => Pod.parse(pod)),
      replicaSets: replicaSets.map((set) => ReplicaSetMetadata.parse(set)),
      claims: [...(rest.releaseClaims ?? []), ...(rest.claims ?? [])].map((claim) => VolumeClaim.parse(claim)),
      events: (rest.events ?? []).map((event) => ClusterEvent.parse(event)),
    },
    words,
  );

const kindOf = (object: object): WorkloadKind => {
  const kind = 'kind' in object ? object.kind : null;
  if (kind === 'StatefulSet' || kind === 'DaemonSet') return kind;
  return 'Deployment';
};

const template = {};
const deployment = (status: object = {}, name = 'web') => ({
  kind: 'Deployment',
  metadata: { name, uid: `uid-${name}`, generation: 1, annotations: { 'deployment.kubernetes.io/revision': '2' } },
  spec: { replicas: 3, template },
  status: { observedGeneration: 1, replicas: 3, updatedReplicas: 3, ...status },
});
const ready = { availableReplicas: 3 };
const replicaSet = (revision: string, name = 'web') => ({
  metadata: {
    uid: `uid-${name}-${revision}`,
    annotations: { 'deployment.kubernetes.io/revision': revision },
    ownerReferences: [{ uid: `uid-${name}` }],
  },
});
const daemonSet = {
  kind: 'DaemonSet',
  metadata: {
    name: 'agent',
    uid: 'uid-agent',
    generation: 2,
    annotations: { 'deprecated.daemonset.template.generation': '2' },
  },
  spec: { template },
  status: { observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: 3 },
};
const statefulSet = {
  kind: 'StatefulSet',
  metadata: { name: 'db', uid: 'uid-db', generation: 1 },
  spec: { replicas: 2, template },
  status: { observedGeneration: 1, updatedReplicas: 1, readyReplicas: 1, updateRevision: 'new' },
};

const pod = (
  owner: string | null,
  status: object,
  { name = 'web-1', ...more }: { name?: string; labels?: object; spec?: object; deletionTimestamp?: string } = {},
) => ({
  metadata: {
    name,
    uid: `uid-${name}`,
    labels: more.labels ?? {},
    deletionTimestamp: more.deletionTimestamp,
    ownerReferences: owner === null ? [] : [{ uid: owner }],
  },
  spec: more.spec,
  status,
});
const newWeb = 'uid-web-2';
const waiting = (reason: string, more: object = {}, message?: string) => ({
  phase: 'Pending',
  containerStatuses: [{ name: 'main', image: 'registry/web:1', state: { waiting: { reason, message } }, ...more }],
});
const crashing = waiting('CrashLoopBackOff', { lastState: { terminated: { exitCode: 3, reason: 'Error' } } });
const noPort = "0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod ports.";
const unschedulable = (message = noPort) => ({
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
});
const running = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const unready = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'False', message: 'containers with unready status: [main]' }],
};
const about = (kind: string, name: string, message: string, lastTimestamp = '2026-01-01T00:00:00Z') => ({
  involvedObject: { kind, name },
  message,
  lastTimestamp,
});
const claim = (name: string, phase: string) => ({ metadata: { name, uid: `uid-${name}` }, status: { phase } });
const using = (claimName: string) => ({ volumes: [{ persistentVolumeClaim: { claimName } }] });
const gadget = (status: object, name = 'cooler') => ({
  kind: 'Gadget',
  metadata: { name, uid: `uid-${name}`, generation: 1 },
  status,
});
const job = (status: object = {}) => ({ metadata: { name: 'migrate', uid: 'uid-migrate' }, spec: {}, status });

describe('the reason of a wait', () => {
  test.for<[string, Cluster, string | null]>([
    ['is empty if nothing was created', {}, null],
    ['is empty if everything is ready', { workloads: [deployment(ready)], claims: [claim('x', 'Pending')] }, null],
    [
      'is the workload whose pods do not fit, in the words of the scheduler',
      {
        workloads: [daemonSet],
        pods: ['a', 'b', 'c'].map((name) =>
          pod('uid-agent', unschedulable(), { name, labels: { 'pod-template-generation': '2' } }),
        ),
      },
      `DaemonSet agent: 0 of 3 ready; 3 of 3 pods unschedulable: ${noPort}`,
    ],
    [
      'is an image, by its name',
      {
        workloads: [deployment()],
        replicaSets: [replicaSet('2')],
        pods: [pod(newWeb, waiting('ImagePullBackOff', {}, 'not found')), pod(newWeb, unready, { name: 'web-2' })],
      },
      'Deployment web: 0 of 3 ready; 1 of 2 pods: container main is waiting: ImagePullBackOff (registry/web:1): not found',
    ],
    [
      'is a container that crashes, with its exit code',
      { workloads: [deployment()], replicaSets: [replicaSet('2')], pods: [pod(newWeb, crashing)] },
      'Deployment web: 0 of 3 ready; 1 of 1 pod: container main is waiting: CrashLoopBackOff, last exit code 3',
    ],
    [
      'is a container that cannot be created',
      {
        workloads: [deployment()],
        replicaSets: [replicaSet('2')],
        pods: [pod(newWeb, waiting('CreateContainerConfigError', {}, 'secret "x" not found'))],
      },
      'Deployment web: 0 of 3 ready; 1 of 1 pod: container main is waiting: CreateContainerConfigError: secret "x" not found',
    ],
    [
      'is a volume that is not mounted',
      {
        workloads: [deployment()],
        replicaSets: [replicaSet('2')],
        pods: [pod(newWeb, waiting('ContainerCreating'))],
        events: [about('Pod', 'web-1', 'MountVolume.SetUp failed: configmap "x" not found')],
      },
      'Deployment web: 0 of 3 ready; 1 of 1 pod not ready: MountVolume.SetUp failed: configmap "x" not found',
    ],
    [
      'is the latest probe that failed',
      {
        workloads: [deployment()],
        replicaSets: [replicaSet('2')],
        pods: [pod(newWeb, unready)],
        events: [
          about('Pod', 'web-1', 'Readiness probe failed: 503', '2026-01-01T00:02:00Z'),
          about('Pod', 'web-1', 'Readiness probe failed: 500', '2026-01-01T00:01:00Z'),
          about('Pod', 'web-2', 'Readiness probe failed: 404', '2026-01-01T00:03:00Z'),
        ],
      },
      'Deployment web: 0 of 3 ready; 1 of 1 pod not ready: Readiness probe failed: 503',
    ],
    [
      'is a claim that a pod needs, with the message of its event',
      {
        workloads: [statefulSet],
        pods: [pod('uid-db', unschedulable(), { name: 'db-0', spec: using('data-db-0') })],
        claims: [claim('other', 'Pending'), claim('data-db-0', 'Pending')],
        events: [about('PersistentVolumeClaim', 'data-db-0', 'storageclass "fast" not found')],
      },
      'StatefulSet db: 1 of 2 ready; 1 of 1 pod unschedulable: PersistentVolumeClaim data-db-0 is not bound: storageclass "fast" not found',
    ],
    [
      'is a claim of the release that nothing uses',
      { releaseClaims: [claim('data', 'Pending')], events: [about('PersistentVolumeClaim', 'data', 'no volume')] },
      'PersistentVolumeClaim data: not bound; no volume',
    ],
    ['is not a claim that is bound', { releaseClaims: [claim('data', 'Bound')] }, null],
    [
      'is a quota that refuses the pods of a Deployment',
      {
        workloads: [
          deployment({
            conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' }],
          }),
        ],
        replicaSets: [replicaSet('2')],
      },
      'Deployment web: 0 of 3 ready; its pods are refused: exceeded quota',
    ],
    [
      'is an admission that refuses the pods of a StatefulSet',
      { workloads: [statefulSet], events: [about('StatefulSet', 'db', 'create Pod db-1 failed: denied')] },
      'StatefulSet db: 1 of 2 ready; its pods are refused: create Pod db-1 failed: denied',
    ],
    [
      'is the deadline of a rollout if nothing else is known',
      {
        workloads: [
          deployment({
            conditions: [
              {
                type: 'Progressing',
                status: 'False',
                reason: 'ProgressDeadlineExceeded',
                message: 'timed out progressing',
              },
            ],
          }),
        ],
      },
      'Deployment web: 0 of 3 ready; timed out progressing',
    ],
    [
      'is a hook before all workloads, with its attempts and the exit code of its pod',
      {
        hooks: [job({ failed: 2 })],
        workloads: [deployment()],
        pods: [
          pod('uid-migrate', {
            phase: 'Failed',
            containerStatuses: [{ name: 'sql', state: { terminated: { exitCode: 3, reason: 'Error' } } }],
          }),
        ],
      },
      'Job migrate and 1 more: a hook, 2 of 7 attempts failed; 1 of 1 pod: container sql ended with exit code 3',
    ],
    ['is not a hook that is done', { hooks: [job({ conditions: [{ type: 'Complete', status: 'True' }] })] }, null],
    [
      'is not a hook that has failed, since it is of an earlier run',
      { hooks: [job({ conditions: [{ type: 'Failed', status: 'True' }] })] },
      null,
    ],
    [
      'is a pod of the release',
      { barePods: [pod(null, unschedulable(), { name: 'tool' })] },
      `Pod tool: not ready; 1 of 1 pod unschedulable: ${noPort}`,
    ],
    ['is not a pod that has succeeded', { barePods: [pod(null, { phase: 'Succeeded' }, { name: 'tool' })] }, null],
    [
      'is the workload with the most specific cause, in any order',
      {
        workloads: [deployment({}, 'api'), deployment(), deployment({}, 'zoo')],
        replicaSets: [replicaSet('2'), replicaSet('2', 'zoo')],
        pods: [pod('uid-zoo-2', crashing), pod(newWeb, unschedulable())],
      },
      'Deployment zoo and 2 more: 0 of 3 ready; 1 of 1 pod: container main is waiting: CrashLoopBackOff, last exit code 3',
    ],
    [
      'is not a cause of pods of an earlier revision of a Deployment',
      {
        workloads: [deployment()],
        replicaSets: [replicaSet('1'), replicaSet('2')],
        pods: [pod('uid-web-1', crashing), pod(newWeb, unready, { name: 'web-2' })],
      },
      'Deployment web: 0 of 3 ready; 1 of 1 pod not ready: containers with unready status: [main]',
    ],
    [
      'is not a cause of pods of an earlier revision of a DaemonSet',
      {
        workloads: [daemonSet],
        pods: [
          pod('uid-agent', crashing, { labels: { 'pod-template-generation': '1' } }),
          pod('uid-agent', unready, { name: 'b', labels: { 'pod-template-generation': '2' } }),
        ],
      },
      'DaemonSet agent: 0 of 3 ready; 1 of 1 pod not ready: containers with unready status: [main]',
    ],
    [
      'is not a cause of pods of an earlier revision of a StatefulSet',
      {
        workloads: [statefulSet],
        pods: [
          pod('uid-db', crashing, { labels: { 'controller-revision-hash': 'old' } }),
          pod('uid-db', unready, { name: 'b', labels: { 'controller-revision-hash': 'new' } }),
        ],
      },
      'StatefulSet db: 1 of 2 ready; 1 of 1 pod not ready: containers with unready status: [main]',
    ],
    [
      'is not a cause of pods that are being deleted',
      {
        workloads: [deployment()],
        replicaSets: [replicaSet('2')],
        pods: [
          pod(newWeb, crashing, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
          pod(newWeb, running, { name: 'web-2' }),
        ],
      },
      'Deployment web: 0 of 3 ready',
    ],
    [
      'is a custom resource whose controller says why it is not ready',
      {
        custom: [
          gadget({ conditions: [{ type: 'Ready', status: 'True' }] }, 'good'),
          gadget({ conditions: [{ type: 'Ready', status: 'False', reason: 'NoSupply', message: 'it is off' }] }),
        ],
        events: [about('Gadget', 'cooler', 'an event that says less')],
      },
      'Gadget cooler: not ready; NoSupply: it is off',
    ],
    [
      'is the workload whose image cannot be pulled before the custom resource that waits for it',
      {
        workloads: [daemonSet],
        pods: [pod('uid-agent', waiting('ErrImagePull'), { labels: { 'pod-template-generation': '2' } })],
        custom: [gadget({ conditions: [{ type: 'Ready', status: 'Unknown', reason: 'Progressing' }] })],
      },
      'DaemonSet agent and 1 more: 0 of 3 ready; 1 of 1 pod: container main is waiting: ErrImagePull (registry/web:1)',
    ],
    [
      'is a rollout in which only old pods are ready',
      { workloads: [deployment({ updatedReplicas: 1, replicas: 4, availableReplicas: 3 })] },
      'Deployment web: 1 of 3 updated, 3 of 3 ready',
    ],
    [
      'is a rollout in which old pods remain',
      { workloads: [deployment({ ...ready, replicas: 4 })] },
      'Deployment web: 3 of 3 ready, 1 old left',
    ],
  ])('%s', ([, cluster, expected]) => {
    expect(why(cluster)).toBe(expected);
  });

  test('has a bounded length, however long names and messages are', () => {
    const long = 'x'.repeat(10_000);
    const text = why({
      workloads: [daemonSet],
      pods: [pod('uid-agent', waiting('ErrImagePull', { image: long }, long), { labels: {} })],
    });

    expect(text?.length).toBeLessThanOrEqual(480);
    expect(text).toContain('DaemonSet agent: 0 of 3 ready; 1 of 1 pod: container main is waiting: ErrImagePull');
  });

  test('does not end with half of a secret', () => {
    const secret = 'swordfish'.repeat(30);
    const message = `${'x '.repeat(210)}${secret}`;
    const words = (text: string) => text.replaceAll('x ', '').replaceAll(secret, '***');
    const text = why({ workloads: [daemonSet], pods: [pod('uid-agent', waiting('ErrImagePull', {}, message))] }, words);

    expect(text).toContain('ErrImagePull');
    expect(text).not.toContain('sword');
  });

  test('shows texts of the cluster only after redaction', () => {
    const hidden = (text: string) => text.replaceAll('swordfish', '***');
    const cluster = {
      workloads: [daemonSet],
      pods: [pod('uid-agent', waiting('ErrImagePull', { image: 'swordfish' }, 'swordfish'))],
      releaseClaims: [claim('swordfish', 'Pending')],
    };

    expect(why(cluster)).toContain('swordfish');
    expect(why(cluster, hidden)).not.toContain('swordfish');
    expect(why({ releaseClaims: cluster.releaseClaims }, hidden)).toBe(
      'PersistentVolumeClaim ***: not bound; no volume is bound',
    );
  });
});

test('the reason for a hook that has failed for good includes its attempts', () => {
  const status = { failed: 7, conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] };

  expect(awaitedHook(Job.parse(job(status))).progress).toBe('a hook, 7 of 7 attempts failed');
});
