import type { ClusterEvent, Pod, ReplicaSetMetadata, VolumeClaim } from '../cluster/kube-objects.ts';
import type { Awaited } from './awaited.ts';

/** Objects of the namespace that explain why another is not ready. */
export interface Explanations {
  pods: readonly Pod[];
  replicaSets: readonly ReplicaSetMetadata[];
  claims: readonly VolumeClaim[];
  events: readonly ClusterEvent[];
}

/** The pods that should become ready: those of the newest revision if any, except pods that are being deleted. */
export function podsOf({ kind, uid, revision }: Awaited, { pods, replicaSets }: Explanations): readonly Pod[] {
  const live = pods.filter(({ metadata }) => !metadata?.deletionTimestamp);
  if (kind === 'Pod') return live.filter(({ metadata }) => metadata?.uid === uid);
  const isOf = (one: Owned & { metadata?: Texts }, of: 'annotations' | 'labels') =>
    revision === null || one.metadata?.[of]?.[revision.name] === revision.value;
  if (kind === 'Deployment') {
    const sets = ownedBy(replicaSets, new Set([uid]));
    const newest = sets.filter((set) => isOf(set, 'annotations'));
    return ownedBy(live, new Set((newest.length > 0 ? newest : sets).map(({ metadata }) => metadata.uid ?? '')));
  }
  const owned = ownedBy(live, new Set([uid]));
  const newest = owned.filter((pod) => isOf(pod, 'labels'));
  return newest.length > 0 ? newest : owned;
}

interface Owned {
  metadata?: { ownerReferences?: readonly { uid: string }[] | null | undefined } | undefined;
}
type Texts = Partial<Record<'annotations' | 'labels', Record<string, string> | null | undefined>> | undefined;

const ownedBy = <T extends Owned>(objects: readonly T[], owners: ReadonlySet<string>): T[] =>
  objects.filter(({ metadata }) => metadata?.ownerReferences?.some(({ uid }) => owners.has(uid)));

/** How many pods of the newest revision restart again and again; Helm gives up waiting for their controller. */
export const crashingPods = (one: Awaited, explanations: Explanations): number =>
  podsOf(one, explanations).filter(
    ({ status }) =>
      status?.phase === 'Running' &&
      !status.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') &&
      status.containerStatuses?.some(({ state }) => state?.waiting?.reason === 'CrashLoopBackOff'),
  ).length;
