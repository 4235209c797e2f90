import { every } from '@berth/service/loop';
import type { Loop } from '@berth/service/service';
import { configuredProviders, type ProviderSettings } from '../providers/configured-providers.ts';
import type { LabelledSecretsOptions } from '../providers/labelled-secrets.ts';
import { discoverClusters, type DiscoverClustersDeps } from './discover-clusters.ts';

/** One loop for each configured source, and one that flags the clusters of sources that are no longer configured. */
export function discoveryLoops(
  { kubeconfigs, ...deps }: DiscoverClustersDeps & Pick<LabelledSecretsOptions, 'kubeconfigs'>,
  settings: ProviderSettings,
): [name: string, loop: Loop][] {
  const { configured, unconfigured } = configuredProviders(settings, kubeconfigs);
  const flags = unconfigured.map((provider) => discoverClusters(deps, provider));
  const flagAll = async (signal: AbortSignal): Promise<void> => {
    for (const flag of flags) await flag(signal);
  };
  return [
    ...configured.map((provider): [string, Loop] => [
      `discover ${provider.prefix}`,
      every(provider.everyMs, discoverClusters(deps, provider)),
    ]),
    ['flag clusters without a source', every(60_000, flagAll)],
  ];
}
