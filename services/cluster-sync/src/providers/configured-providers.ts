import type { AllowedField } from '@berth/kube/kube-access';
import { type ClusterProvider, notConfigured } from './cluster-provider.ts';
import { eksPrefix, eksProvider } from './eks-clusters.ts';
import { type LabelledSecretsOptions, labelledSecretsPrefix, labelledSecretsProvider } from './labelled-secrets.ts';
import { ownAccess, type OwnClusterOptions, ownClusterPrefix, ownClusterProvider } from './own-cluster.ts';
import { kubeconfigPrefix, kubeconfigProvider } from './read-kubeconfig.ts';

export interface ProviderSettings {
  readonly kubeconfig: string | undefined;
  readonly contexts: readonly string[] | null;
  readonly allowed: ReadonlySet<AllowedField>;
  readonly commands: ReadonlySet<string>;
  readonly ownName: string | undefined;
  readonly secretsNamespace: string | undefined;
  readonly serviceAccount: OwnClusterOptions;
  readonly eksRegions: readonly string[];
  readonly eksMs: number;
  readonly rediscoverMs: number;
}

/** One provider for each source. An unconfigured one only flags clusters that it found earlier. */
export function configuredProviders(
  settings: ProviderSettings,
  kubeconfigs: LabelledSecretsOptions['kubeconfigs'],
): {
  configured: ClusterProvider[];
  unconfigured: ClusterProvider[];
} {
  const {
    kubeconfig: path,
    contexts,
    allowed,
    commands,
    ownName,
    secretsNamespace,
    eksRegions,
    rediscoverMs,
  } = settings;
  const access = ownAccess(settings.serviceAccount);
  const regions = eksRegions.includes('all') ? null : eksRegions;

  const configured = [
    ...(path === undefined ? [] : [kubeconfigProvider({ path, contexts, allowed, commands }, rediscoverMs)]),
    ...(ownName === undefined ? [] : [ownClusterProvider({ name: ownName, access }, rediscoverMs)]),
    ...(secretsNamespace === undefined
      ? []
      : [labelledSecretsProvider({ access, namespace: secretsNamespace, allowed, kubeconfigs }, rediscoverMs)]),
    ...(eksRegions.length === 0 ? [] : [eksProvider({ regions }, settings.eksMs)]),
  ];
  const prefixes = new Set(configured.map(({ prefix }) => prefix));
  return { configured, unconfigured: sources.filter(({ prefix }) => !prefixes.has(prefix)) };
}

const sources = [
  notConfigured('the kubeconfig', kubeconfigPrefix),
  notConfigured('the configuration', ownClusterPrefix),
  notConfigured('the labelled Secrets', labelledSecretsPrefix),
  notConfigured('the clusters of EKS', eksPrefix),
];
