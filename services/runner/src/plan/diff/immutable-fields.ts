import { groupOf } from '../../cluster/group-of.ts';

/** Fields that the API server refuses to change, by kind of the built-in groups: the object has to be deleted first. */
const immutable: Readonly<Record<string, readonly RegExp[]>> = {
  'apps/Deployment': [/^\/spec\/selector(\/|$)/],
  'apps/DaemonSet': [/^\/spec\/selector(\/|$)/],
  'apps/ReplicaSet': [/^\/spec\/selector(\/|$)/],
  'apps/StatefulSet': [
    /^\/spec\/(?!replicas|template|updateStrategy|persistentVolumeClaimRetentionPolicy|minReadySeconds|ordinals|revisionHistoryLimit)/,
  ],
  'batch/Job': [/^\/spec\/(selector|template|completions|completionMode|manualSelector|podFailurePolicy)(\/|$)/],
  '/PersistentVolumeClaim': [/^\/spec\/(?!resources\/requests|volumeAttributesClassName)/],
  '/Service': [/^\/spec\/clusterIPs?(\/|$)/],
  'rbac.authorization.k8s.io/RoleBinding': [/^\/roleRef(\/|$)/],
  'rbac.authorization.k8s.io/ClusterRoleBinding': [/^\/roleRef(\/|$)/],
  'storage.k8s.io/StorageClass': [/^\/(provisioner|parameters|reclaimPolicy|volumeBindingMode)(\/|$)/],
  'scheduling.k8s.io/PriorityClass': [/^\/value$/],
};

export function isImmutable({ apiVersion, kind }: { apiVersion: string; kind: string }, pointer: string): boolean {
  return (immutable[`${groupOf(apiVersion)}/${kind}`] ?? []).some((pattern) => pattern.test(pointer));
}
