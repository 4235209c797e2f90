import type { JsonObject } from '@berth/contracts/fields/json';
import { describe, expect, test } from 'vitest';
import { isAwaited, readinessOf } from './readiness.ts';

const now = Date.parse('2026-01-01T00:01:00Z');
const condition = (type: string, status = 'True', reason = '', message = '') => ({ type, status, reason, message });
const observed = { observedGeneration: 2 };
const object = (of: string, spec: JsonObject = {}, status: JsonObject = {}, metadata: JsonObject = {}): JsonObject => {
  const [kind = '', apiVersion = ''] = of.split(' of ');
  return { apiVersion, kind, metadata: { name: 'web', generation: 2, ...metadata }, spec, status };
};

const replicas = { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };
const available = [condition('Progressing', 'True', 'NewReplicaSetAvailable'), condition('Available')];
const deployed = { ...observed, ...replicas, conditions: available };
const deployment = (status: JsonObject, spec: JsonObject = {}) =>
  object('Deployment of apps/v1', { replicas: 2, progressDeadlineSeconds: 600, ...spec }, { ...deployed, ...status });

const revisions = { currentReplicas: 2, currentRevision: 'a', updateRevision: 'a' };
const statefulSet = (status: JsonObject, spec: JsonObject = {}) =>
  object('StatefulSet of apps/v1', { replicas: 2, ...spec }, { ...observed, ...replicas, ...revisions, ...status });

const scheduled = {
  desiredNumberScheduled: 3,
  currentNumberScheduled: 3,
  updatedNumberScheduled: 3,
  numberAvailable: 3,
  numberReady: 3,
};
const daemonSet = (status: JsonObject) => object('DaemonSet of apps/v1', {}, { ...observed, ...scheduled, ...status });
const replicaSet = (status: JsonObject) =>
  object('ReplicaSet of apps/v1', { replicas: 2 }, { ...observed, ...replicas, fullyLabeledReplicas: 2, ...status });
const pod = (status: JsonObject, creationTimestamp = '2026-01-01T00:00:55Z') =>
  object('Pod of v1', {}, status, { creationTimestamp });
const job = (status: JsonObject) => object('Job of batch/v1', {}, status);
const unschedulable = { phase: 'Pending', conditions: [condition('PodScheduled', 'False', 'Unschedulable')] };
const crashing = { name: 'main', state: { waiting: { reason: 'CrashLoopBackOff' } } };
const definition = (...conditions: JsonObject[]) =>
  object('CustomResourceDefinition of apiextensions.k8s.io/v1', {}, { conditions });
const gadget = (status: JsonObject) => object('Gadget of example.com/v1', {}, status);

describe('an object is ready as for `helm upgrade --wait`:', () => {
  test.for<[string, JsonObject, 'ready' | 'waiting' | 'failed', string?]>([
    [
      'any that is being deleted is awaited',
      object('ConfigMap of v1', {}, {}, { deletionTimestamp: 'now' }),
      'waiting',
    ],
    [
      'any whose newest change is not observed is awaited',
      deployment({ observedGeneration: 1 }),
      'waiting',
      'generation 1 of 2',
    ],
    [
      'any that is being reconciled is awaited',
      gadget({ conditions: [condition('Reconciling', 'True', '', 'soon')] }),
      'waiting',
      'soon',
    ],
    [
      'any that is stalled has failed',
      gadget({ conditions: [condition('Stalled', 'True', '', 'never')] }),
      'failed',
      'never',
    ],

    ['a Deployment', deployment({}), 'ready'],
    ['a Deployment with few pods', deployment({ replicas: 1 }), 'waiting', '1 of 2 pods'],
    ['a Deployment with old pods instead', deployment({ updatedReplicas: 1 }), 'waiting', '1 of 2 pods updated'],
    ['a Deployment with old pods beside', deployment({ replicas: 3 }), 'waiting', '1 old pods left'],
    ['a Deployment without available pods', deployment({ availableReplicas: 0 }), 'waiting', '0 of 2 pods available'],
    ['a Deployment with pods that are not ready', deployment({ readyReplicas: 1 }), 'waiting', '1 of 2 pods ready'],
    ['a Deployment whose ReplicaSet is not available', deployment({ conditions: [condition('Available')] }), 'waiting'],
    [
      'a Deployment without a deadline has no such condition',
      deployment({ conditions: [condition('Available')] }, { progressDeadlineSeconds: 2 ** 31 - 1 }),
      'ready',
    ],
    ['a Deployment that is not available', deployment({ conditions: available.slice(0, 1) }), 'waiting'],
    [
      'a Deployment past its deadline',
      deployment({ conditions: [condition('Progressing', 'False', 'ProgressDeadlineExceeded')] }),
      'failed',
    ],
    ['a paused Deployment', deployment({ replicas: 0 }, { paused: true }), 'ready'],
    [
      'a Deployment of nothing',
      deployment({ replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0 }, { replicas: 0 }),
      'ready',
    ],

    ['a StatefulSet', statefulSet({}), 'ready'],
    ['a StatefulSet with few pods', statefulSet({ replicas: 1 }), 'waiting', '1 of 2 pods'],
    ['a StatefulSet with pods that are not ready', statefulSet({ readyReplicas: 1 }), 'waiting', '1 of 2 pods ready'],
    ['a StatefulSet with too many pods', statefulSet({ replicas: 3 }), 'waiting'],
    ['a StatefulSet with pods of two revisions', statefulSet({ updateRevision: 'b' }), 'waiting', 'being updated'],
    ['a StatefulSet with few pods of its revision', statefulSet({ currentReplicas: 1 }), 'waiting'],
    [
      'a StatefulSet up to its partition',
      statefulSet({ updatedReplicas: 1, updateRevision: 'b' }, { updateStrategy: { rollingUpdate: { partition: 1 } } }),
      'ready',
    ],
    [
      'a StatefulSet below its partition',
      statefulSet({ updatedReplicas: 0 }, { updateStrategy: { rollingUpdate: { partition: 1 } } }),
      'waiting',
      '0 of 1 pods updated',
    ],
    [
      'a StatefulSet whose pods are replaced by hand',
      statefulSet({ readyReplicas: 0 }, { updateStrategy: { type: 'OnDelete' } }),
      'ready',
    ],

    ['a DaemonSet', daemonSet({}), 'ready'],
    ['a DaemonSet that nobody has seen', object('DaemonSet of apps/v1'), 'waiting'],
    ...['currentNumberScheduled', 'updatedNumberScheduled', 'numberAvailable', 'numberReady'].map(
      (field): [string, JsonObject, 'waiting', string] => [
        `a DaemonSet by ${field}`,
        daemonSet({ [field]: 2 }),
        'waiting',
        '2 of 3',
      ],
    ),

    ['a ReplicaSet', replicaSet({}), 'ready'],
    ['a ReplicaSet without labels', replicaSet({ fullyLabeledReplicas: 1 }), 'waiting'],
    ['a ReplicaSet without its pods', replicaSet({ conditions: [condition('ReplicaFailure')] }), 'waiting'],

    ['a pod', pod({ phase: 'Running', conditions: [condition('Ready')] }), 'ready'],
    ['a pod that has ended', pod({ phase: 'Succeeded' }), 'ready'],
    ['a pod that has failed', pod({ phase: 'Failed' }), 'ready'],
    ['a pod that runs', pod({ phase: 'Running' }), 'waiting'],
    ['a pod that crashes', pod({ phase: 'Running', containerStatuses: [crashing] }), 'failed', 'main'],
    ['a pod that is pending', pod({ phase: 'Pending' }), 'waiting'],
    ['a pod without a node for a moment', pod(unschedulable), 'waiting'],
    ['a pod without a node for long', pod(unschedulable, '2026-01-01T00:00:00Z'), 'failed'],
    ['a pod that nobody has seen', pod({}), 'waiting'],

    ['a Job that runs', job({ startTime: 'now' }), 'ready'],
    ['a Job that has not started', job({}), 'waiting'],
    ['a Job that is complete', job({ conditions: [condition('Complete')] }), 'ready'],
    ['a Job that has failed', job({ startTime: 'now', conditions: [condition('Failed')] }), 'failed'],

    ['a claim', object('PersistentVolumeClaim of v1', {}, { phase: 'Bound' }), 'ready'],
    [
      'a claim without a volume',
      object('PersistentVolumeClaim of v1', {}, { phase: 'Pending' }),
      'waiting',
      'not bound',
    ],
    ['a Service', object('Service of v1', { type: 'ClusterIP' }), 'ready'],
    ['a Service without an address', object('Service of v1', { type: 'LoadBalancer' }), 'waiting'],
    ['a balancer with an address', object('Service of v1', { type: 'LoadBalancer', clusterIP: '10.0.0.1' }), 'ready'],

    ['a definition', definition(condition('NamesAccepted'), condition('Established')), 'ready'],
    ['a definition that is new', definition(), 'waiting'],
    ['a definition that is being installed', definition(condition('Established', 'False', 'Installing')), 'waiting'],
    [
      'a definition whose names are taken',
      definition(condition('NamesAccepted', 'False', 'x', 'taken')),
      'failed',
      'taken',
    ],

    ['a custom resource without conditions', gadget({}), 'ready'],
    ['a custom resource that is ready', gadget({ conditions: [condition('Ready')] }), 'ready'],
    [
      'a custom resource that is not',
      gadget({ conditions: [condition('Ready', 'False', 'NoSupply', 'off')] }),
      'waiting',
      'NoSupply: off',
    ],
    ['a custom resource with conditions of another shape', gadget({ conditions: { Ready: true } }), 'ready'],
  ])('%s', ([, given, is, says = '']) => {
    const readiness = readinessOf(given, now);

    expect(readiness.is).toBe(is);
    expect('says' in readiness ? readiness.says : '').toContain(says);
  });
});

test('objects that are ready as soon as they exist are not read', () => {
  const kinds = [
    'v1 ConfigMap',
    'v1 Service',
    'apps/v1 Deployment',
    'networking.k8s.io/v1 Ingress',
    'example.com/v1 ConfigMap',
  ];

  const awaited = kinds.filter((of) => {
    const [apiVersion = '', kind = ''] = of.split(' ');
    return isAwaited({ apiVersion, kind });
  });

  expect(awaited).toEqual(['v1 Service', 'apps/v1 Deployment', 'example.com/v1 ConfigMap']);
});
