import type { EKSClient } from '@aws-sdk/client-eks';
import { ProxiedAgent } from '@berth/service/proxy/proxied-agent';
import type { ClusterProvider, FoundClusters, ReachableCluster } from './cluster-provider.ts';
import { SourceUnreadable } from './source-unreadable.ts';

export interface EksOptions {
  /** Null: all regions that are enabled for the account. */
  readonly regions: readonly string[] | null;
  /** Another address of the AWS APIs, for tests. The SDK itself reads `AWS_ENDPOINT_URL` and similar variables. */
  readonly endpoint?: string;
}

const prefix = 'arn:';
const mostClusters = 1_000;
const mostRegions = 100;
const requestMs = 10_000;

/** Clusters of an AWS account. A region that does not answer does not affect the clusters of others. */
export function eksProvider(options: EksOptions, everyMs: number): ClusterProvider {
  // Takes 30 MB, so it is imported only if EKS is configured.
  const library = () => import('@aws-sdk/client-eks');
  const clients = new Map<string, EKSClient>();

  async function clientOf(region: string): Promise<EKSClient> {
    const known = clients.get(region);
    if (known) return known;
    const { EKSClient } = await library();
    const client = new EKSClient({ region, ...settingsOf(options) });
    clients.set(region, client);
    return client;
  }

  /** The prefix of the ids of a region's clusters. */
  const prefixOf = (region: string) => `arn:${partitionOf(region).name}:eks:${region}:`;

  async function inRegion(region: string, signal: AbortSignal): Promise<FoundClusters> {
    const { DescribeClusterCommand, paginateListClusters } = await library();
    const { eksToken } = await import('./eks-token.ts');
    const client = await clientOf(region);
    const limit = () => ({ abortSignal: AbortSignal.any([signal, AbortSignal.timeout(requestMs)]) });
    const names: string[] = [];
    for await (const { clusters: page = [] } of paginateListClusters({ client }, {}, limit())) {
      names.push(...page);
      if (names.length > mostClusters) throw new SourceUnreadable(`more than ${mostClusters} clusters`);
    }
    const clusters: ReachableCluster[] = [];
    const unread: FoundClusters['unread'][number][] = [];
    for (const name of names) {
      const described = await client.send(new DescribeClusterCommand({ name }), limit()).catch((error: unknown) => {
        unread.push({ prefix: prefixOf(region), reason: `${name} in ${region}: ${wordsOf(error)}` });
      });
      const { arn, endpoint, certificateAuthority } = described?.cluster ?? {};
      if (arn === undefined) continue;
      const ca = Buffer.from(certificateAuthority?.data ?? '', 'base64').toString();
      const row = { provider_id: arn, name, region_name: region };
      // A cluster that is being created has neither endpoint nor certificate.
      if (endpoint === undefined || ca === '') {
        clusters.push({ ...row, access: null, refused: 'EKS has no address for it yet' });
        continue;
      }
      const stsHost = `sts.${region}.${partitionOf(region).suffix}`;
      clusters.push({
        ...row,
        refused: null,
        access: { server: endpoint, ca, token: null, certificate: null },
        token: eksToken({ region, clusterName: name, config: client.config, stsHost }),
      });
    }
    return { clusters, unread };
  }

  const find = async (signal: AbortSignal): Promise<FoundClusters> => {
    const regions = options.regions ?? (await enabledRegions(options, signal));
    const clusters: ReachableCluster[] = [];
    const unread: FoundClusters['unread'][number][] = [];
    for (const region of regions) {
      try {
        const found = await inRegion(region, signal);
        clusters.push(...found.clusters);
        unread.push(...found.unread);
      } catch (error) {
        unread.push({ prefix: prefixOf(region), reason: `${region}: ${wordsOf(error)}` });
      }
    }
    return { clusters, unread };
  };

  return { source: 'the clusters of EKS', prefix, everyMs, find };
}

async function enabledRegions(options: EksOptions, signal: AbortSignal): Promise<string[]> {
  const { AccountClient, paginateListRegions } = await import('@aws-sdk/client-account');
  const client = new AccountClient({ region: 'us-east-1', ...settingsOf(options) });
  const limit = { abortSignal: AbortSignal.any([signal, AbortSignal.timeout(requestMs)]) };
  const status = { RegionOptStatusContains: ['ENABLED', 'ENABLED_BY_DEFAULT'] as const };
  const names: string[] = [];
  try {
    for await (const { Regions = [] } of paginateListRegions(
      { client },
      { RegionOptStatusContains: [...status.RegionOptStatusContains] },
      limit,
    )) {
      names.push(...Regions.flatMap(({ RegionName }) => RegionName ?? []));
      if (names.length > mostRegions) throw new SourceUnreadable(`more than ${mostRegions} regions`);
    }
    return names;
  } catch (error) {
    throw new SourceUnreadable(`the regions of the AWS account cannot be read: ${wordsOf(error)}`, { cause: error });
  } finally {
    client.destroy();
  }
}

const settingsOf = ({ endpoint }: EksOptions) => ({
  maxAttempts: 3,
  requestHandler: { httpsAgent: new ProxiedAgent({ keepAlive: true, maxSockets: 50 }) },
  ...(endpoint !== undefined && { endpoint }),
});

function partitionOf(region: string): { name: string; suffix: string } {
  if (region.startsWith('cn-')) return { name: 'aws-cn', suffix: 'amazonaws.com.cn' };
  if (region.startsWith('us-gov-')) return { name: 'aws-us-gov', suffix: 'amazonaws.com' };
  return { name: 'aws', suffix: 'amazonaws.com' };
}

/** For an error of AWS its name, such as `AccessDeniedException`, since its message may quote the request. */
function wordsOf(error: unknown): string {
  if (error instanceof SourceUnreadable) return error.message;
  return error instanceof Error ? error.name : 'it cannot be read';
}

export const eksPrefix = prefix;
