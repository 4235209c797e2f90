/** The namespace of the runner's account in each cluster. It is not tracked: it has no `managed-by` label. */
export const runnerNamespace = 'berth-system';
export const runnerAccount = 'berth-runner';

const labels = { 'app.kubernetes.io/part-of': 'berth' };
const rbac = 'rbac.authorization.k8s.io';

/**
 * The objects that the runner's token depends on, in order of creation. Charts may contain any kind of object, including
 * custom resource definitions and cluster roles, so the account is a cluster admin; its short-lived tokens are the limit.
 */
export const runnerObjects = [
  {
    path: '/api/v1/namespaces',
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: runnerNamespace, labels } },
  },
  {
    path: `/api/v1/namespaces/${runnerNamespace}/serviceaccounts`,
    object: {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: runnerAccount, namespace: runnerNamespace, labels },
      automountServiceAccountToken: false,
    },
  },
  {
    path: `/apis/${rbac}/v1/clusterrolebindings`,
    object: {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: runnerAccount, labels },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: runnerAccount, namespace: runnerNamespace }],
    },
  },
] as const;
