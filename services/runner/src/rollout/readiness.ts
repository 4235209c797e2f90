import type { JsonObject } from '@berth/contracts/fields/json';
import { objectsIn } from '../manifests/lists-in.ts';
import { groupOf } from '../cluster/group-of.ts';
import { at, conditionsOf, number, replicasOf, text } from './status-fields.ts';

/** `failed`: waiting longer does not help. */
export type Readiness =
  | { is: 'ready' }
  | { is: 'failed'; says: string; isUnobserved?: false }
  /** `isUnobserved`: its controller has not seen the newest change yet. */
  | { is: 'waiting'; says: string; isUnobserved?: boolean };

const ready: Readiness = { is: 'ready' };
const waiting = (says: string): Readiness => ({ is: 'waiting', says });
const failed = (says: string): Readiness => ({ is: 'failed', says });

/**
 * Whether an object is ready, by the rules of `helm upgrade --wait` (its library kstatus, `status.Compute`), so that a deploy waits for
 * the same whether Helm or the runner does. Helm leaves out paused Deployments.
 */
export function readinessOf(object: JsonObject, now: number): Readiness {
  const key = keyOfKind({ apiVersion: text(object, 'apiVersion'), kind: text(object, 'kind') });
  return ofAnyKind(object) ?? (rules[key] ?? byReadyCondition)(object, now);
}

/** The group and the kind, whatever the version. */
function keyOfKind({ apiVersion, kind }: { apiVersion: string; kind: string }): string {
  const group = groupOf(apiVersion);
  return group === '' ? kind : `${group}/${kind}`;
}

/** Objects of these kinds are ready as soon as they exist, so they are not read. */
const alwaysReady = new Set([
  'ConfigMap',
  'Secret',
  'ServiceAccount',
  'LimitRange',
  'PodTemplate',
  'Endpoints',
  ...['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map((kind) => `rbac.authorization.k8s.io/${kind}`),
  ...['Ingress', 'IngressClass', 'NetworkPolicy'].map((kind) => `networking.k8s.io/${kind}`),
  'batch/CronJob',
  'scheduling.k8s.io/PriorityClass',
  'storage.k8s.io/StorageClass',
]);

export const isAwaited = (object: { apiVersion: string; kind: string }): boolean => !alwaysReady.has(keyOfKind(object));

/** Controllers that Helm gives up once their pods crash. */
export const failsByCrashes = ({ kind }: { kind: string }): boolean => kind === 'Deployment' || kind === 'StatefulSet';

type Rule = (object: JsonObject, now: number) => Readiness;

/** The verdict of the standard fields and conditions; null if they have none, so the rule of the kind decides. */
function ofAnyKind(object: JsonObject): Readiness | null {
  if (text(object, 'metadata', 'deletionTimestamp') !== '') return waiting('it is being deleted');
  const generation = number(object, 'metadata', 'generation');
  const observed = number(object, 'status', 'observedGeneration');
  if (generation !== null && observed !== null && observed !== generation) {
    return {
      is: 'waiting',
      says: `its controller has observed generation ${observed} of ${generation}`,
      isUnobserved: true,
    };
  }
  for (const { type, status, message } of conditionsOf(object)) {
    if (type === 'Reconciling' && status === 'True') return waiting(message);
    if (type === 'Stalled' && status === 'True') return failed(message);
  }
  return null;
}

const byReadyCondition: Rule = (object) => {
  const found = conditionsOf(object).find(({ type }) => type === 'Ready');
  return found && found.status !== 'True' ? waiting(`${found.reason}: ${found.message}`) : ready;
};

const deployment: Rule = (object) => {
  if (at(object, 'spec', 'paused') === true) return ready;
  const conditions = conditionsOf(object);
  if (conditions.some(({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded')) {
    return failed('it exceeded its progress deadline');
  }
  const wanted = number(object, 'spec', 'replicas') ?? 1;
  const { replicas, updatedReplicas, readyReplicas, availableReplicas } = replicasOf(object);
  if (replicas < wanted) return waiting(`${replicas} of ${wanted} pods`);
  if (updatedReplicas < wanted) return waiting(`${updatedReplicas} of ${wanted} pods updated`);
  if (replicas > wanted) return waiting(`${replicas - wanted} old pods left`);
  if (availableReplicas < updatedReplicas) return waiting(`${availableReplicas} of ${updatedReplicas} pods available`);
  if (readyReplicas < wanted) return waiting(`${readyReplicas} of ${wanted} pods ready`);
  const isOf = (wantedType: string) => conditions.find(({ type }) => type === wantedType);
  const progressing = isOf('Progressing');
  const hasDeadline = (number(object, 'spec', 'progressDeadlineSeconds') ?? longestDeadline) !== longestDeadline;
  if (hasDeadline && !(progressing?.status === 'True' && progressing.reason === 'NewReplicaSetAvailable')) {
    return waiting('its new ReplicaSet is not available');
  }
  return isOf('Available')?.status === 'True' ? ready : waiting('it is not available');
};

/** With this value Kubernetes sets no deadline. */
const longestDeadline = 2 ** 31 - 1;

const statefulSet: Rule = (object) => {
  if (text(object, 'spec', 'updateStrategy', 'type') === 'OnDelete') return ready;
  const wanted = number(object, 'spec', 'replicas') ?? 1;
  const { replicas, currentReplicas, updatedReplicas, readyReplicas } = replicasOf(object);
  if (replicas < wanted) return waiting(`${replicas} of ${wanted} pods`);
  if (readyReplicas < wanted) return waiting(`${readyReplicas} of ${wanted} pods ready`);
  if (replicas > wanted) return waiting(`${replicas - wanted} old pods left`);
  const partition = number(object, 'spec', 'updateStrategy', 'rollingUpdate', 'partition');
  if (partition !== null) {
    const toUpdate = wanted - partition;
    return updatedReplicas < toUpdate ? waiting(`${updatedReplicas} of ${toUpdate} pods updated`) : ready;
  }
  if (currentReplicas < wanted) return waiting(`${currentReplicas} of ${wanted} pods of its revision`);
  return text(object, 'status', 'currentRevision') === text(object, 'status', 'updateRevision')
    ? ready
    : waiting('its pods are being updated');
};

const daemonSet: Rule = (object) => {
  if (number(object, 'status', 'observedGeneration') === null) return waiting('its controller has not observed it');
  const wanted = number(object, 'status', 'desiredNumberScheduled');
  if (wanted === null) return waiting('its controller has not observed it');
  const count = (field: string) => number(object, 'status', field) ?? 0;
  for (const [field, what] of [
    ['currentNumberScheduled', 'pods'],
    ['updatedNumberScheduled', 'pods updated'],
    ['numberAvailable', 'pods available'],
    ['numberReady', 'pods ready'],
  ] as const) {
    if (count(field) < wanted) return waiting(`${count(field)} of ${wanted} ${what}`);
  }
  return ready;
};

const replicaSet: Rule = (object) => {
  if (conditionsOf(object).some(({ type, status }) => type === 'ReplicaFailure' && status === 'True')) {
    return waiting('its pods cannot be created');
  }
  const wanted = number(object, 'spec', 'replicas') ?? 1;
  const { replicas, fullyLabeledReplicas, availableReplicas, readyReplicas } = replicasOf(object);
  if (fullyLabeledReplicas < wanted) return waiting(`${fullyLabeledReplicas} of ${wanted} pods labeled`);
  if (availableReplicas < wanted) return waiting(`${availableReplicas} of ${wanted} pods available`);
  if (readyReplicas < wanted) return waiting(`${readyReplicas} of ${wanted} pods ready`);
  return replicas > wanted ? waiting(`${replicas - wanted} old pods left`) : ready;
};

const scheduleWithinMs = 15_000;

const pod: Rule = (object, now) => {
  const phase = text(object, 'status', 'phase');
  const conditions = conditionsOf(object);
  if (phase === 'Succeeded' || phase === 'Failed') return ready;
  if (phase === 'Running') {
    if (conditions.some(({ type, status }) => type === 'Ready' && status === 'True')) return ready;
    const crashing = crashingContainers(object);
    return crashing.length > 0 ? failed(`containers crash: ${crashing.join(', ')}`) : waiting('it is not ready');
  }
  if (isUnschedulable(object)) {
    const since = now - Date.parse(text(object, 'metadata', 'creationTimestamp'));
    return since > scheduleWithinMs ? failed('no node can run it') : waiting('it is not scheduled');
  }
  return waiting('it has not started');
};

const isUnschedulable = (object: JsonObject): boolean =>
  conditionsOf(object).some(
    ({ type, status, reason }) => type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable',
  );

const crashingContainers = (object: JsonObject): string[] =>
  objectsIn(at(object, 'status', 'containerStatuses')).flatMap((container) =>
    text(container, 'state', 'waiting', 'reason') === 'CrashLoopBackOff' ? [text(container, 'name')] : [],
  );

const claim: Rule = (object) => (text(object, 'status', 'phase') === 'Bound' ? ready : waiting('it is not bound'));

/** A Job that runs is ready: Helm waits for the end of hooks only. */
const job: Rule = (object) => {
  const conditions = conditionsOf(object).filter(({ status }) => status === 'True');
  if (conditions.some(({ type }) => type === 'Complete')) return ready;
  if (conditions.some(({ type }) => type === 'Failed')) return failed('it failed');
  return text(object, 'status', 'startTime') === '' ? waiting('it has not started') : ready;
};

const service: Rule = (object) =>
  text(object, 'spec', 'type') === 'LoadBalancer' && text(object, 'spec', 'clusterIP') === ''
    ? waiting('it has no address')
    : ready;

const definition: Rule = (object) => {
  for (const { type, status, reason, message } of conditionsOf(object)) {
    if (type === 'NamesAccepted' && status === 'False') return failed(message);
    if (type !== 'Established') continue;
    if (status === 'True') return ready;
    if (status === 'False' && reason !== 'Installing') return failed(message);
  }
  return waiting('it is being installed');
};

const rules: Partial<Record<string, Rule>> = {
  'apps/Deployment': deployment,
  'apps/StatefulSet': statefulSet,
  'apps/DaemonSet': daemonSet,
  'apps/ReplicaSet': replicaSet,
  'batch/Job': job,
  'apiextensions.k8s.io/CustomResourceDefinition': definition,
  'policy/PodDisruptionBudget': () => ready,
  Pod: pod,
  PersistentVolumeClaim: claim,
  Service: service,
};
