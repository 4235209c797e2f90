import type { V1PolicyRule } from '@kubernetes/client-node';
import type { GrantScope } from '@berth/contracts/resources/clusters/cluster-role-grants';

export type Rule = Pick<V1PolicyRule, 'verbs' | 'apiGroups' | 'resources'>;

interface Right {
  readonly group: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** A description of the right, for messages. */
  readonly means: string;
}

const writes = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const any = ['get', 'list', 'watch', ...writes];
const starts = ['create', 'update', 'patch'];
const pods = 'pods in all namespaces, and so their accounts';
const shells = ['pods/exec', 'pods/attach', 'pods/ephemeralcontainers', 'nodes/proxy'];
const webhooks = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'];
const workloads = ['daemonsets', 'deployments', 'replicasets', 'statefulsets'];

/** Rights with which an account can become another one, or reach a node. */
const anywhere: readonly Right[] = [
  { group: '', resources: ['secrets'], verbs: any, means: 'the Secrets of all namespaces' },
  { group: '', resources: ['serviceaccounts/token'], verbs: ['create'], means: 'tokens of all accounts' },
  { group: '', resources: shells, verbs: any, means: 'a shell in any pod' },
  { group: '', resources: ['pods', 'replicationcontrollers'], verbs: starts, means: pods },
  { group: 'apps', resources: workloads, verbs: starts, means: pods },
  { group: 'batch', resources: ['cronjobs', 'jobs'], verbs: starts, means: pods },
  { group: '', resources: ['namespaces'], verbs: writes, means: 'namespaces' },
  { group: 'admissionregistration.k8s.io', resources: webhooks, verbs: writes, means: 'webhooks for all objects' },
];
const inNamespace: readonly Right[] = [
  { group: '', resources: ['namespaces'], verbs: writes, means: 'the labels of its namespace' },
];
/** Verbs that are dangerous on any resource. */
const passedOn = ['escalate', 'bind', 'impersonate'];

const holds = (wanted: readonly string[], held: readonly string[] = []): boolean =>
  held.includes('*') || wanted.some((one) => held.includes(one));

/**
 * The right by which a role of this scope amounts to an administrator of the cluster, in words; null if there is none. RBAC
 * already prevents granting rights that one lacks.
 */
export function takeoverOf(rules: readonly Rule[], scope: GrantScope): string | null {
  const rights = scope === 'Cluster' ? anywhere : inNamespace;
  for (const { apiGroups, resources, verbs } of rules) {
    const verb = passedOn.find((one) => verbs.includes(one));
    if (verb) return `the verb ${verb}`;
    const found = rights.find(
      (right) => holds([right.group], apiGroups) && holds(right.resources, resources) && holds(right.verbs, verbs),
    );
    if (found) return found.means;
  }
  return null;
}
