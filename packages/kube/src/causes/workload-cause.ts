import { z } from 'zod';
import { type Cause, causeOfReason, ownCause } from './cause.ts';
import { type Condition, conditionOf, Conditions, count, wordsOf, word } from './conditions.ts';

const flag = z.boolean().optional().catch(undefined);

const Workload = z.object({
  spec: z.object({ replicas: count, paused: flag, suspend: flag }).catch({}),
  status: z
    .object({
      replicas: count,
      readyReplicas: count,
      availableReplicas: count,
      unavailableReplicas: count,
      desiredNumberScheduled: count,
      numberAvailable: count,
      conditions: Conditions,
    })
    .optional()
    .catch(undefined),
});

const parsed = (object: unknown) => {
  const { data } = Workload.safeParse(object);
  return { spec: data?.spec ?? {}, status: data?.status };
};

const failedToCreate = (conditions: readonly Condition[]): Cause | null => {
  const failure = conditionOf(conditions, 'ReplicaFailure', 'True');
  return failure ? causeOfReason(failure.reason, 'Failed', wordsOf(failure)) : null;
};

const available = (ready: number, wanted: number): Cause | null =>
  ready < wanted ? ownCause('ReplicasUnavailable', `${ready} of ${wanted} pods are available`) : null;

/** Why a Deployment lacks pods; null if all are available. */
export function deploymentCause(object: unknown): Cause | null {
  const { spec, status } = parsed(object);
  if (!status) return null;
  const { conditions, availableReplicas = 0 } = status;
  const late = conditionOf(conditions, 'Progressing', 'False');
  return (
    failedToCreate(conditions) ??
    (late ? causeOfReason(late.reason, 'Failed', wordsOf(late)) : null) ??
    available(availableReplicas, spec.replicas ?? 1)
  );
}

export function replicaSetCause(object: unknown): Cause | null {
  const { spec, status } = parsed(object);
  if (!status) return null;
  return failedToCreate(status.conditions) ?? available(status.availableReplicas ?? 0, spec.replicas ?? 1);
}

export function statefulSetCause(object: unknown): Cause | null {
  const { spec, status } = parsed(object);
  return status ? available(status.readyReplicas ?? 0, spec.replicas ?? 1) : null;
}

export function daemonSetCause(object: unknown): Cause | null {
  const { status } = parsed(object);
  return status ? available(status.numberAvailable ?? 0, status.desiredNumberScheduled ?? 0) : null;
}

export function jobCause(object: unknown): Cause | null {
  const { spec, status } = parsed(object);
  const failed =
    status &&
    (conditionOf(status.conditions, 'Failed', 'True') ?? conditionOf(status.conditions, 'FailureTarget', 'True'));
  if (failed) return causeOfReason(failed.reason, 'Failed', wordsOf(failed));
  return spec.suspend ? ownCause('Suspended', 'the job is suspended') : null;
}

export const cronJobCause = (object: unknown): Cause | null =>
  parsed(object).spec.suspend ? ownCause('Suspended', 'no jobs are started: it is suspended') : null;

const Claim = z.object({
  spec: z.object({ storageClassName: word }).catch({}),
  status: z.object({ phase: word }).catch({}),
});

export function claimCause(object: unknown): Cause | null {
  const { data } = Claim.safeParse(object);
  if (data?.status.phase === 'Lost') return ownCause('ClaimLost', 'the volume of the claim is gone');
  if (data?.status.phase !== 'Pending') return null;
  const { storageClassName } = data.spec;
  return ownCause('ClaimPending', `no volume is bound${storageClassName ? ` (class ${storageClassName})` : ''}`);
}

const LoadBalancer = z.object({
  spec: z.object({ type: word }).catch({}),
  status: z
    .object({ loadBalancer: z.object({ ingress: z.array(z.unknown()).nullish() }).nullish() })
    .optional()
    .catch(undefined),
});

export function serviceCause(object: unknown): Cause | null {
  const { data } = LoadBalancer.safeParse(object);
  if (data?.spec.type !== 'LoadBalancer' || data.status?.loadBalancer?.ingress?.length) return null;
  return ownCause('LoadBalancerPending', 'the load balancer has no address');
}
