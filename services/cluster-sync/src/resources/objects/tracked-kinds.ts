/** The kinds that are watched in every cluster, with their API paths. */
export const trackedKinds = [
  { kind: 'Namespace', apiVersion: 'v1', root: '/api/v1', plural: 'namespaces' },
  { kind: 'Pod', apiVersion: 'v1', root: '/api/v1', plural: 'pods' },
  { kind: 'Service', apiVersion: 'v1', root: '/api/v1', plural: 'services' },
  { kind: 'PersistentVolumeClaim', apiVersion: 'v1', root: '/api/v1', plural: 'persistentvolumeclaims' },
  { kind: 'Deployment', apiVersion: 'apps/v1', root: '/apis/apps/v1', plural: 'deployments' },
  { kind: 'ReplicaSet', apiVersion: 'apps/v1', root: '/apis/apps/v1', plural: 'replicasets' },
  { kind: 'StatefulSet', apiVersion: 'apps/v1', root: '/apis/apps/v1', plural: 'statefulsets' },
  { kind: 'DaemonSet', apiVersion: 'apps/v1', root: '/apis/apps/v1', plural: 'daemonsets' },
  { kind: 'Job', apiVersion: 'batch/v1', root: '/apis/batch/v1', plural: 'jobs' },
  { kind: 'CronJob', apiVersion: 'batch/v1', root: '/apis/batch/v1', plural: 'cronjobs' },
  { kind: 'Ingress', apiVersion: 'networking.k8s.io/v1', root: '/apis/networking.k8s.io/v1', plural: 'ingresses' },
] as const;

/** The version does not matter: a reference may name an older one than we read. */
export const isTrackedKind = (kind: string, apiVersion: string): boolean =>
  trackedKinds.some((tracked) => tracked.kind === kind && groupOf(tracked.apiVersion) === groupOf(apiVersion));

const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '');

export type TrackedKind = (typeof trackedKinds)[number];
export type KindName = TrackedKind['kind'];
