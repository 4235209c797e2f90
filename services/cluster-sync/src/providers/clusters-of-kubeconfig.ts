import { type AllowedField, kubeAccessOf } from '@berth/kube/kube-access';
import type { Kubeconfig } from '@berth/kube/kubeconfig';
import { startOf } from '@berth/contracts/cut-text';
import type { ReachableCluster } from './cluster-provider.ts';

export interface KubeconfigSource {
  /** The prefix of the `provider_id`s. */
  readonly prefix: string;
  readonly regionName: string;
  /** The contexts to read; null: all. */
  readonly contexts: readonly string[] | null;
  /** Fields that are refused unless the operator allows them. */
  readonly allowed: ReadonlySet<AllowedField>;
}

/** One cluster for each context. */
export function clustersOfKubeconfig(
  kubeconfig: Kubeconfig,
  { prefix, regionName, contexts, allowed }: KubeconfigSource,
): ReachableCluster[] {
  const names = new Set(contexts ?? kubeconfig.contexts.map(({ name }) => name));
  return [...names].map((name) => {
    const result = kubeAccessOf(kubeconfig, name, allowed);
    return {
      provider_id: prefix + name,
      name: startOf(name.trim(), 100) || 'unnamed',
      region_name: regionName,
      access: 'access' in result ? result.access : null,
      refused: 'refused' in result ? `its context in the kubeconfig is refused: ${result.refused}` : null,
    };
  });
}
