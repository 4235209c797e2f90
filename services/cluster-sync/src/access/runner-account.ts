import type {
  V1ClusterRole,
  V1ClusterRoleBinding,
  V1Namespace,
  V1PolicyRule,
  V1ServiceAccount,
} from '@kubernetes/client-node';

/** The runner's account in each cluster. Its namespace is not tracked: it has no `managed-by` label. */
export interface RunnerAccount {
  readonly namespace: string;
  readonly name: string;
}

/** The account of `deploy/rbac`. The configuration can name another, since two platforms may share a cluster. */
export const usualRunnerAccount: RunnerAccount = { namespace: 'berth-system', name: 'berth-runner' };

const labels = { 'app.kubernetes.io/part-of': 'berth' };
const rbac = 'rbac.authorization.k8s.io';
/** Helm reads, writes and watches all objects of a chart. */
const all = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
const read = ['get', 'list', 'watch'];

/** What most charts need: the usual kinds in their own namespace. */
const rules = [
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'create', 'patch', 'delete'] },
  {
    apiGroups: [''],
    resources: [
      'configmaps',
      'endpoints',
      'limitranges',
      'persistentvolumeclaims',
      'pods',
      'replicationcontrollers',
      'resourcequotas',
      'secrets',
      'serviceaccounts',
      'services',
    ],
    verbs: all,
  },
  { apiGroups: [''], resources: ['events', 'pods/log'], verbs: read },
  {
    apiGroups: ['apps'],
    resources: ['daemonsets', 'deployments', 'replicasets', 'statefulsets'],
    verbs: all,
  },
  { apiGroups: ['batch'], resources: ['cronjobs', 'jobs'], verbs: all },
  { apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'networkpolicies'], verbs: all },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: all },
  { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'], verbs: all },
  // Kubernetes lets an account grant only permissions that it has itself.
  { apiGroups: [rbac], resources: ['rolebindings', 'roles'], verbs: all },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: all },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: read },
] satisfies V1PolicyRule[];

/**
 * The objects that the runner's token depends on, in order of creation; `deploy/rbac/runner.yaml` is the same for
 * clusters in which cluster-sync may not create them.
 */
export const runnerObjects = ({ namespace, name }: RunnerAccount) =>
  [
    {
      path: '/api/v1/namespaces',
      object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } } satisfies V1Namespace,
    },
    {
      path: `/api/v1/namespaces/${namespace}/serviceaccounts`,
      object: {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name, namespace, labels },
        automountServiceAccountToken: false,
      } satisfies V1ServiceAccount,
    },
    {
      path: `/apis/${rbac}/v1/clusterroles`,
      object: {
        apiVersion: `${rbac}/v1`,
        kind: 'ClusterRole',
        metadata: { name: clusterWideName({ namespace, name }), labels },
        rules,
      } satisfies V1ClusterRole,
    },
    {
      path: `/apis/${rbac}/v1/clusterrolebindings`,
      object: {
        apiVersion: `${rbac}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name: clusterWideName({ namespace, name }), labels },
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: clusterWideName({ namespace, name }) },
        subjects: [{ kind: 'ServiceAccount', name, namespace }],
      } satisfies V1ClusterRoleBinding,
    },
  ] as const;

/** Accounts of the same name in two namespaces must not share a role. */
const clusterWideName = ({ namespace, name }: RunnerAccount): string =>
  namespace === usualRunnerAccount.namespace ? name : `${namespace}-${name}`;
