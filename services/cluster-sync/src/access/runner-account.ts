/** Where the runner's account lies in each cluster. Not one of the namespaces we track: those carry `managed-by`. */
export const runnerNamespace = 'berth-system';
export const runnerAccount = 'berth-runner';

const labels = { 'app.kubernetes.io/part-of': 'berth' };
const rbac = 'rbac.authorization.k8s.io';

/**
 * What must exist for the runner's token, in this order. Charts bring any kind of object, definitions and cluster roles
 * among them, so the account is a cluster admin; what bounds it is the short life of its tokens.
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
