import type { Cause } from '@berth/kube/causes/cause';
import { causeOf } from '@berth/kube/causes/cause-of';
import { customCause } from '@berth/kube/causes/custom-cause';
import type { CustomObject, Job, Pod, VolumeClaim, Workload } from '../cluster/kube-objects.ts';
import { rolloutOf, type WorkloadKind } from './rollout-of.ts';

export type WorkloadOfKind = Workload & { kind: WorkloadKind };

/** Objects of a release that Helm waits for. */
export interface ReleaseObjects {
  hooks: readonly Job[];
  workloads: readonly WorkloadOfKind[];
  /** Pods without a controller. */
  pods: readonly Pod[];
  claims: readonly VolumeClaim[];
  custom: readonly CustomObject[];
}

/** An object that is not ready. */
export interface Awaited {
  kind: string;
  name: string;
  uid: string;
  /** Its progress: `0 of 3 ready`. */
  progress: string;
  /** The object's own cause; its pods may be more specific. */
  cause: Cause | null;
  /** Distinguishes pods of the newest revision; for a Deployment, its newest ReplicaSet. */
  revision: { name: string; value: string } | null;
  /** True for a custom resource. */
  isCustom?: true;
}

/** The objects that are not ready: hooks first, since all others wait for them. */
export const awaitedOf = ({ hooks, workloads, pods, claims, custom }: ReleaseObjects): Awaited[] => [
  ...hooks.filter((hook) => !hasEnded(hook)).map(awaitedHook),
  ...workloads.flatMap((workload) => awaitedWorkload(workload) ?? []),
  ...pods
    .filter((pod) => causeOf('Pod', pod) !== null)
    .map((pod) => ({ kind: 'Pod', ...named(pod), progress: 'not ready', cause: null, revision: null })),
  ...claims
    .filter(({ status }) => status?.phase !== 'Bound')
    .map((claim) => ({
      kind: 'PersistentVolumeClaim',
      ...named(claim),
      progress: 'not bound',
      cause: causeOf('PersistentVolumeClaim', claim),
      revision: null,
    })),
  ...custom.flatMap((object) => {
    const cause = customCause(object);
    const { kind } = object;
    return cause === null
      ? []
      : [{ kind, ...named(object), progress: 'not ready', cause, revision: null, isCustom: true as const }];
  }),
];

const named = ({ metadata }: { metadata?: { name?: string | undefined; uid?: string | undefined } | undefined }) => ({
  name: metadata?.name ?? '?',
  uid: metadata?.uid ?? '',
});

const hasEnded = ({ status }: Job): boolean =>
  (status?.conditions ?? []).some(
    (condition) => condition.status === 'True' && (condition.type === 'Complete' || condition.type === 'Failed'),
  );

/** Includes failed hooks, to explain why Helm gave up. */
export function awaitedHook(hook: Job): Awaited {
  const failed = hook.status?.failed ?? 0;
  const attempts = failed === 0 ? 'not done' : `${failed} of ${(hook.spec?.backoffLimit ?? 6) + 1} attempts failed`;
  return {
    kind: 'Job',
    ...named(hook),
    progress: `a hook, ${attempts}`,
    cause: causeOf('Job', hook),
    revision: null,
  };
}

function awaitedWorkload(workload: WorkloadOfKind): Awaited | null {
  const { kind } = workload;
  const { isDone, pods } = rolloutOf(kind, workload);
  if (isDone) return null;
  const { ready, updated, wanted, old } = pods;
  // Old pods count as ready too, so new pods may be missing although enough are ready.
  const isNewMissing = updated < ready && updated < wanted;
  const leftOver = !isNewMissing && ready >= wanted && old > 0 ? `, ${old} old left` : '';
  return {
    kind,
    ...named(workload),
    progress: `${isNewMissing ? `${updated} of ${wanted} updated, ` : ''}${ready} of ${wanted} ready${leftOver}`,
    cause: causeOf(kind, workload),
    revision: revisionOf(workload),
  };
}

function revisionOf({ kind, metadata, status }: WorkloadOfKind): Awaited['revision'] {
  const annotation = (name: string, of: string) => {
    const value = metadata.annotations?.[name];
    return value === undefined ? null : { name: of, value };
  };
  if (kind === 'Deployment') return annotation(revisionAnnotation, revisionAnnotation);
  if (kind === 'DaemonSet') {
    return annotation('deprecated.daemonset.template.generation', 'pod-template-generation');
  }
  return status?.updateRevision === undefined
    ? null
    : { name: 'controller-revision-hash', value: status.updateRevision };
}

/** The annotation of a Deployment and of its ReplicaSets. */
const revisionAnnotation = 'deployment.kubernetes.io/revision';
