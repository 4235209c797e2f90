import type { V1ClusterRole, V1Namespace, V1PolicyRule, V1ServiceAccount } from '@kubernetes/client-node';
import { type Account, clusterRolesPath, rbacGroup, type WantedBinding } from '../bindings/role-binding.ts';

/** The namespace of the accounts in each cluster, in which deployments have no rights. Platforms that share a cluster need two. */
export const usualDeployersNamespace = 'berth-deployers';

const labels = { 'app.kubernetes.io/part-of': 'berth' };
/** Helm reads, writes and watches all objects of a chart. */
const all = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
const read = ['get', 'list', 'watch'];

/** The account that a deployment deploys with. Its name is unique to the deployment. */
export const deployerAccount = (namespace: string, deploymentId: string): Account => ({
  namespace,
  name: `deployment-${deploymentId}`,
});

/** For plans of namespaces that do not exist: every account may ask a cluster which kinds it has. */
export const accountWithoutRights = (namespace: string): Account => ({ namespace, name: 'without-rights' });

/** The cluster role that each deployment has in its own namespace. Accounts of two platforms must not share one. */
export const deployerRoleName = (namespace: string): string =>
  namespace === usualDeployersNamespace ? 'berth-deployer' : `${namespace}-deployer`;

/**
 * The permissions that most charts need: the usual kinds, bound in one namespace. The namespace itself is read-only, because its
 * labels decide what pods may do.
 */
const rules = [
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
  {
    apiGroups: [''],
    resources: [
      'configmaps',
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
  // Read-only: Endpoints written by a chart could send its Service, and an ingress controller, to any address.
  { apiGroups: [''], resources: ['endpoints', 'events', 'pods/log'], verbs: read },
  { apiGroups: ['apps'], resources: ['daemonsets', 'deployments', 'replicasets', 'statefulsets'], verbs: all },
  { apiGroups: ['batch'], resources: ['cronjobs', 'jobs'], verbs: all },
  { apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'networkpolicies'], verbs: all },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: all },
  { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'], verbs: all },
  // Kubernetes lets an account grant only permissions that it has itself.
  { apiGroups: [rbacGroup], resources: ['rolebindings', 'roles'], verbs: all },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: all },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: read },
] satisfies V1PolicyRule[];

/** The namespace of the accounts and their cluster role; `deploy/rbac/deployer.yaml` is the same. */
export const deployersNamespaceObject = (namespace: string) =>
  ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } }) satisfies V1Namespace;

export const deployerRoleObject = (namespace: string) =>
  ({
    apiVersion: `${rbacGroup}/v1`,
    kind: 'ClusterRole',
    metadata: { name: deployerRoleName(namespace), labels },
    rules,
  }) satisfies V1ClusterRole;

export const accountObject = ({ namespace, name }: Account) =>
  ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace, labels },
    automountServiceAccountToken: false,
  }) satisfies V1ServiceAccount;

/** Lets an account deploy in a namespace. */
export const deployerBinding = (
  account: Account,
  { name, namespace }: { name: string; namespace: string },
): WantedBinding => ({ name, namespace, role: deployerRoleName(account.namespace), account, labels });

export const paths = {
  namespaces: '/api/v1/namespaces',
  accounts: (namespace: string) => `/api/v1/namespaces/${namespace}/serviceaccounts`,
  account: ({ namespace, name }: Account) => `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`,
  token: ({ namespace, name }: Account) => `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
  clusterRoles: clusterRolesPath,
} as const;
