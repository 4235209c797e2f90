import type { V1ClusterRoleBinding, V1RoleBinding } from '@kubernetes/client-node';
import { managedLabels, namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import { z } from 'zod';
import type { GrantedBinding } from './binding-repository.ts';

const group = 'rbac.authorization.k8s.io';
const api = `/apis/${group}/v1`;

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

export const clusterRolePath = (name: string): string => `${api}/clusterroles/${encodeURIComponent(name)}`;

const nameOf = ({ id }: Pick<GrantedBinding, 'id'>): string => `berth-grant-${id}`;

export const folderOfBinding = ({ scope, namespace }: Pick<GrantedBinding, 'scope' | 'namespace'>): string =>
  scope === 'Cluster'
    ? `${api}/clusterrolebindings`
    : `${api}/namespaces/${encodeURIComponent(namespace)}/rolebindings`;

export const pathOfBinding = (binding: Pick<GrantedBinding, 'id' | 'scope' | 'namespace'>): string =>
  `${folderOfBinding(binding)}/${nameOf(binding)}`;

/** The object that gives the account of a deployment the rights of a ClusterRole. */
export function bindingObject(
  binding: GrantedBinding,
  account: ServiceAccountName,
): V1RoleBinding | V1ClusterRoleBinding {
  const { scope, namespace, cluster_role, deployment_id } = binding;
  return {
    apiVersion: `${group}/v1`,
    kind: scope === 'Cluster' ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: {
      name: nameOf(binding),
      ...(scope === 'Namespace' && { namespace }),
      labels: managedLabels,
      annotations: { [namespaceAnnotations.deploymentId]: deployment_id },
    },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: cluster_role },
    subjects: [{ kind: 'ServiceAccount', name: account.name, namespace: account.namespace }],
  };
}

const FoundBinding = z.object({
  roleRef: z.object({ kind: z.string(), name: z.string() }),
  subjects: z.array(z.object({ kind: z.string(), name: z.string(), namespace: z.string().optional() })),
});

/** Whether the found object binds this ClusterRole to this account only. */
export function isBindingOf(found: unknown, { cluster_role }: GrantedBinding, account: ServiceAccountName): boolean {
  const parsed = FoundBinding.safeParse(found).data;
  if (!parsed) return false;
  const { roleRef, subjects } = parsed;
  const [subject, another] = subjects;
  return (
    roleRef.kind === 'ClusterRole' &&
    roleRef.name === cluster_role &&
    another === undefined &&
    subject?.kind === 'ServiceAccount' &&
    subject.name === account.name &&
    subject.namespace === account.namespace
  );
}
