import type { Cause } from '@berth/kube/causes/cause';
import { isJsonObject } from '@berth/contracts/fields/json';
import type { ObjectState } from './object-state.ts';
import { podState } from './pod-state.ts';
import {
  cronJobState,
  daemonSetState,
  deploymentState,
  jobState,
  replicaSetState,
  statefulSetState,
} from './workload-state.ts';

type StateOf = (object: unknown, cause: Cause | null) => ObjectState | null;

/** The kinds that say something; the tables of the larger ones are in `pod-state.ts` and `workload-state.ts`. */
const states = new Map<string, StateOf>([
  // Present. While it is being deleted, its contents disappear.
  ['Namespace', (_object, cause) => (cause ? 'Progressing' : 'Healthy')],
  ['Pod', podState],
  ['Deployment', deploymentState],
  ['ReplicaSet', replicaSetState],
  ['StatefulSet', statefulSetState],
  ['DaemonSet', daemonSetState],
  ['Job', jobState],
  ['CronJob', cronJobState],
  // A claim may wait for its first pod for ever; the pod that waits for it says so.
  [
    'PersistentVolumeClaim',
    (_object, cause) => (cause === null ? null : cause.cause === 'ClaimLost' ? 'Degraded' : 'Explains'),
  ],
  ['Service', (_object, cause) => (cause ? 'Progressing' : null)],
]);

/** What an object says of the health of its deployment; null if nothing. Never throws. */
export function stateOfObject(kind: string, object: unknown, cause: Cause | null): ObjectState | null {
  const stateOf = states.get(kind);
  if (!stateOf || !isJsonObject(object) || isHook(object)) return null;
  const isLeaving = isJsonObject(object['metadata']) && object['metadata']['deletionTimestamp'] !== undefined;
  if (isLeaving && kind !== 'Pod' && kind !== 'Namespace') return null;
  return stateOf(object, cause);
}

/** The task that runs a hook reports its failure; what is left of it later says nothing. */
function isHook({ metadata }: Record<string, unknown>): boolean {
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : null;
  return isJsonObject(annotations) && annotations['helm.sh/hook'] !== undefined;
}
