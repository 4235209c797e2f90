import type { Config } from '../config.ts';
import { type ClusterProvider, notConfigured } from './cluster-provider.ts';
import { eksPrefix, eksProvider } from './eks-clusters.ts';
import { labelledSecretsPrefix, labelledSecretsProvider } from './labelled-secrets.ts';
import { ownAccess, ownClusterPrefix, ownClusterProvider } from './own-cluster.ts';
import { kubeconfigPrefix, kubeconfigProvider } from './read-kubeconfig.ts';

type Settings = Pick<
  Config,
  | 'kubeconfig'
  | 'contexts'
  | 'allowed'
  | 'ownName'
  | 'secretsNamespace'
  | 'serviceAccount'
  | 'eksRegions'
  | 'eksMs'
  | 'rediscoverMs'
>;

/** One for each source, configured or not. */
export function configuredProviders(settings: Settings): ClusterProvider[] {
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
