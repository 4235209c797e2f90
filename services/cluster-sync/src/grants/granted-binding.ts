import { managedLabels, namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import { type Account, bindingsPath, type WantedBinding } from '../bindings/role-binding.ts';
import type { GrantedBinding } from './binding-repository.ts';

const nameOf = ({ id }: Pick<GrantedBinding, 'id'>): string => `berth-grant-${id}`;

export const folderOfBinding = ({ scope, namespace }: Pick<GrantedBinding, 'scope' | 'namespace'>): string =>
  bindingsPath(scope === 'Cluster' ? null : namespace);

export const pathOfBinding = (binding: Pick<GrantedBinding, 'id' | 'scope' | 'namespace'>): string =>
  `${folderOfBinding(binding)}/${nameOf(binding)}`;

/** Gives the account of a deployment the rights of a granted ClusterRole. */
export const bindingOfGrant = (binding: GrantedBinding, account: Account): WantedBinding => ({
  name: nameOf(binding),
  namespace: binding.scope === 'Cluster' ? null : binding.namespace,
  role: binding.cluster_role,
  account,
  labels: managedLabels,
  annotations: { [namespaceAnnotations.deploymentId]: binding.deployment_id },
});
