import type { Cause } from './cause.ts';
import { namespaceCause } from './namespace-cause.ts';
import { podCause } from './pod-cause.ts';
import {
  claimCause,
  cronJobCause,
  daemonSetCause,
  deploymentCause,
  jobCause,
  replicaSetCause,
  serviceCause,
  statefulSetCause,
} from './workload-cause.ts';

const causes = new Map<string, (object: unknown) => Cause | null>([
  ['Namespace', namespaceCause],
  ['Pod', podCause],
  ['Deployment', deploymentCause],
  ['ReplicaSet', replicaSetCause],
  ['StatefulSet', statefulSetCause],
  ['DaemonSet', daemonSetCause],
  ['Job', jobCause],
  ['CronJob', cronJobCause],
  ['PersistentVolumeClaim', claimCause],
  ['Service', serviceCause],
]);

/** Why an object is not healthy; null if it is, and for kinds without a state. Never throws. */
export const causeOf = (kind: string, object: unknown): Cause | null => causes.get(kind)?.(object) ?? null;
