import type { Workload } from '../cluster/kube-objects.ts';

export interface Rollout {
  isDone: boolean;
  /** Its progress: `1 of 3 pods updated, 1 ready`. */
  says: string;
  /** Whether Kubernetes has given up. */
  hasFailed: boolean;
  pods: { ready: number; updated: number; wanted: number; old: number };
}

export type WorkloadKind = 'Deployment' | 'StatefulSet' | 'DaemonSet';

/** How far Kubernetes has replaced the pods of a workload, by the rules of `kubectl rollout status`. */
export function rolloutOf(kind: WorkloadKind, { metadata, spec, status = {} }: Workload): Rollout {
  const isObserved = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  const { wanted, updated, ready, old } = kind === 'DaemonSet' ? ofDaemonSet(status) : ofReplicas(kind, spec, status);
  const hasFailed = (status.conditions ?? []).some(
    ({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded',
  );
  return {
    isDone: isObserved && updated >= wanted.updated && ready >= wanted.ready && old === 0,
    says: `${updated} of ${wanted.updated} pods updated, ${ready} of ${wanted.ready} ready`,
    hasFailed: isObserved && hasFailed,
    pods: { ready, updated, wanted: wanted.ready, old },
  };
}

type Status = NonNullable<Workload['status']>;

const ofDaemonSet = (status: Status) => {
  const all = status.desiredNumberScheduled ?? 0;
  const updated = status.updatedNumberScheduled ?? 0;
  return { wanted: { updated: all, ready: all }, updated, ready: status.numberAvailable ?? 0, old: 0 };
};

function ofReplicas(kind: WorkloadKind, { replicas = 1, updateStrategy }: Workload['spec'], status: Status) {
  const updated = status.updatedReplicas ?? 0;
  if (kind === 'Deployment') {
    const old = Math.max(0, (status.replicas ?? 0) - updated);
    return { wanted: { updated: replicas, ready: replicas }, updated, ready: status.availableReplicas ?? 0, old };
  }
  // Pods below the partition stay as they are.
  const toUpdate = Math.max(0, replicas - (updateStrategy?.rollingUpdate?.partition ?? 0));
  return { wanted: { updated: toUpdate, ready: replicas }, updated, ready: status.readyReplicas ?? 0, old: 0 };
}

/** Why a restart would not replace pods; null if it would. */
export function whyNoRollout({ spec }: Workload): string | null {
  if (spec.paused) return 'its rollout is paused';
  const onDelete = spec.updateStrategy?.type === 'OnDelete';
  return onDelete
    ? 'its update strategy is OnDelete, so Kubernetes replaces a pod only when somebody deletes it'
    : null;
}
