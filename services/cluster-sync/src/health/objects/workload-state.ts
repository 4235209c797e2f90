import type { Cause } from '@berth/kube/causes/cause';
import { conditionOf, Conditions, count, word } from '@berth/kube/causes/conditions';
import { z } from 'zod';
import type { ObjectState } from './object-state.ts';

const flag = z.boolean().optional().catch(undefined);
const Owner = z.object({ controller: flag });
const Strategy = z
  .object({ type: word, rollingUpdate: z.object({ partition: count }).nullish().catch(null) })
  .optional()
  .catch(undefined);

const Workload = z.object({
  metadata: z.object({ generation: count, ownerReferences: z.array(Owner).catch([]) }).catch({ ownerReferences: [] }),
  spec: z.object({ replicas: count, paused: flag, suspend: flag, updateStrategy: Strategy }).catch({}),
  status: z
    .object({
      observedGeneration: count,
      updatedReplicas: count,
      availableReplicas: count,
      readyReplicas: count,
      desiredNumberScheduled: count,
      updatedNumberScheduled: count,
      numberAvailable: count,
      currentRevision: word,
      updateRevision: word,
      conditions: Conditions,
    })
    .catch({ conditions: [] }),
});
type Workload = z.infer<typeof Workload>;

const nothing: Workload = { metadata: { ownerReferences: [] }, spec: {}, status: { conditions: [] } };
const parsed = (object: unknown): Workload => Workload.safeParse(object).data ?? nothing;

/** Its controller has not seen the last change of its spec. */
const isUnseen = ({ metadata, status }: Workload): boolean =>
  (status.observedGeneration ?? 0) < (metadata.generation ?? 0);

export function deploymentState(object: unknown): ObjectState | null {
  const workload = parsed(object);
  const { spec, status } = workload;
  const { replicas = 1 } = spec;
  const { conditions, availableReplicas = 0, updatedReplicas = 0 } = status;
  if (replicas === 0) return 'Suspended';
  if (conditionOf(conditions, 'ReplicaFailure', 'True') || conditionOf(conditions, 'Progressing', 'False'))
    return 'Degraded';
  if (isUnseen(workload)) return 'Progressing';
  if (spec.paused !== true && (updatedReplicas < replicas || isRollingOut(workload))) return 'Progressing';
  if (availableReplicas >= replicas) return 'Healthy';
  // The rollout was complete before, so these are losses; some are within what the chart tolerates.
  return conditionOf(conditions, 'Available', 'False') ? 'Degraded' : 'Progressing';
}

const isRollingOut = ({ status }: Workload): boolean => {
  const progressing = conditionOf(status.conditions, 'Progressing', 'True');
  return progressing !== undefined && progressing.reason !== 'NewReplicaSetAvailable';
};

/** A ReplicaSet of a Deployment adds nothing to what the Deployment says. */
export function replicaSetState(object: unknown): ObjectState | null {
  const workload = parsed(object);
  const { metadata, spec, status } = workload;
  if (metadata.ownerReferences.some(({ controller }) => controller)) return null;
  const { replicas = 1 } = spec;
  if (replicas === 0) return 'Suspended';
  if (conditionOf(status.conditions, 'ReplicaFailure', 'True')) return 'Degraded';
  return (status.availableReplicas ?? 0) < replicas ? 'Progressing' : 'Healthy';
}

export function statefulSetState(object: unknown): ObjectState | null {
  const workload = parsed(object);
  const { spec, status } = workload;
  const { replicas = 1, updateStrategy } = spec;
  if (replicas === 0) return 'Suspended';
  const updates = updateStrategy?.type !== 'OnDelete' && !updateStrategy?.rollingUpdate?.partition;
  const isUpdating = updates && status.updateRevision !== status.currentRevision;
  return isUnseen(workload) || isUpdating || (status.readyReplicas ?? 0) < replicas ? 'Progressing' : 'Healthy';
}

export function daemonSetState(object: unknown): ObjectState | null {
  const workload = parsed(object);
  const { updatedNumberScheduled = 0, numberAvailable = 0, desiredNumberScheduled: wanted } = workload.status;
  if (isUnseen(workload)) return 'Progressing';
  // No node of the cluster matches it.
  if (wanted === undefined || wanted === 0) return null;
  const updates = workload.spec.updateStrategy?.type !== 'OnDelete';
  return numberAvailable < wanted || (updates && updatedNumberScheduled < wanted) ? 'Progressing' : 'Healthy';
}

/** A Job that runs is healthy: it may run for days, and one of a CronJob starts every minute. */
export const jobState = (_object: unknown, cause: Cause | null): ObjectState | null =>
  cause === null ? 'Healthy' : cause.cause === 'Suspended' ? 'Suspended' : 'Degraded';

export const cronJobState = (_object: unknown, cause: Cause | null): ObjectState | null =>
  cause === null ? 'Healthy' : 'Suspended';
