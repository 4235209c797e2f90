import type { AllowedField } from '@berth/kube/kube-access';
import { type ClusterProvider, notConfigured } from './cluster-provider.ts';
import { eksPrefix, eksProvider } from './eks-clusters.ts';
import { labelledSecretsPrefix, labelledSecretsProvider } from './labelled-secrets.ts';
import { ownAccess, type OwnClusterOptions, ownClusterPrefix, ownClusterProvider } from './own-cluster.ts';
import { kubeconfigPrefix, kubeconfigProvider } from './read-kubeconfig.ts';

export interface ProviderSettings {
  readonly kubeconfig: string | undefined;
  readonly contexts: readonly string[] | null;
  readonly allowed: ReadonlySet<AllowedField>;
  readonly ownName: string | undefined;
  readonly secretsNamespace: string | undefined;
  readonly serviceAccount: OwnClusterOptions;
  readonly eksRegions: readonly string[];
  readonly eksMs: number;
  readonly rediscoverMs: number;
}

/** One for each source, configured or not. */
export function configuredProviders(settings: ProviderSettings): ClusterProvider[] {
  const { kubeconfig: path, contexts, allowed, ownName, secretsNamespace, eksRegions, rediscoverMs } = settings;
  const access = ownAccess(settings.serviceAccount);
  const regions = eksRegions.includes('all') ? null : eksRegions;

  return [
    path === undefined
      ? notConfigured('the kubeconfig', kubeconfigPrefix)
      : kubeconfigProvider({ path, contexts, allowed }, rediscoverMs),
    ownName === undefined
      ? notConfigured('the configuration', ownClusterPrefix)
      : ownClusterProvider({ name: ownName, access }, rediscoverMs),
    secretsNamespace === undefined
      ? notConfigured('the labelled Secrets', labelledSecretsPrefix)
      : labelledSecretsProvider({ access, namespace: secretsNamespace, allowed }, rediscoverMs),
    eksRegions.length === 0
      ? notConfigured('the clusters of EKS', eksPrefix)
      : eksProvider({ regions }, settings.eksMs),
  ];
}
