import type { AllowedField } from '@berth/kube/kube-access';
import { openKubeApi } from '@berth/kube/kube-api';
import type { UntrustedWork } from '@berth/untrusted-work/untrusted-work';
import { WorkRefused } from '@berth/untrusted-work/work-refused';
import { z } from 'zod';
import { describeClusterFailure } from '../kube/describe-cluster-failure.ts';
import { listPages } from '../kube/list-pages.ts';
import type { ClusterProvider, FoundClusters } from './cluster-provider.ts';
import type { KubeconfigJobs } from './kubeconfig-process.ts';
import type { OwnAccess } from './own-cluster.ts';
import { SourceUnreadable } from './source-unreadable.ts';
import { whenChanged } from './when-changed.ts';

export interface LabelledSecretsOptions {
  /** Access to the cluster with the Secrets: the one that the service runs in. */
  readonly access: () => Promise<OwnAccess>;
  readonly namespace: string;
  readonly allowed: ReadonlySet<AllowedField>;
  /** Some kilobytes of hostile YAML take minutes, or end the process that parses them. */
  readonly kubeconfigs: Pick<UntrustedWork<KubeconfigJobs>, 'run'>;
}

const prefix = 'secret:';
const secretLabel = 'berth.dev/cluster';
const key = 'kubeconfig';
const mostSecrets = 500;
/** An ordinary kubeconfig takes milliseconds. */
const withinMs = 2_000;
/** Anybody who may write Secrets can make one, so it must neither read files of this machine nor run programs on it. */
const ofThisMachine: readonly AllowedField[] = ['tokenFile', 'exec'];

const Secret = z.object({
  metadata: z.object({ name: z.string() }),
  data: z.record(z.string(), z.string()).nullish(),
});
type Secret = z.infer<typeof Secret>;

/** Reads the Secrets with the label, each with a kubeconfig. They are read every time, so changes take effect at the next read. */
export function labelledSecretsProvider(options: LabelledSecretsOptions, everyMs: number): ClusterProvider {
  const allowed = new Set([...options.allowed].filter((field) => !ofThisMachine.includes(field)));
  const found = whenChanged<Promise<FoundClusters>>();

  const find = async (signal: AbortSignal): Promise<FoundClusters> => {
    const { access, token } = await options.access();
    using api = openKubeApi(access, {
      userAgent: 'berth-cluster-sync',
      token: async (end) => (await token.current(end)).token,
    });
    const path = `/api/v1/namespaces/${options.namespace}/secrets?labelSelector=${encodeURIComponent(`${secretLabel}=true`)}`;
    const secrets: Secret[] = [];
    const tooMany = `more than ${mostSecrets} Secrets in ${options.namespace} have the label ${secretLabel}`;
    try {
      for await (const { items } of listPages(api, path, { signal, maxPages: 50 })) {
        for await (const item of items) secrets.push(Secret.parse(item));
        if (secrets.length > mostSecrets) throw new SourceUnreadable(tooMany);
      }
    } catch (error) {
      if (error instanceof SourceUnreadable) throw error;
      throw new SourceUnreadable(
        `the Secrets in ${options.namespace} cannot be read: ${describeClusterFailure(error, api.server)}`,
        {
          cause: error,
        },
      );
    }
    return found(JSON.stringify(secrets), () => clustersOf(secrets, signal));
  };

  async function clustersOf(secrets: readonly Secret[], signal: AbortSignal): Promise<FoundClusters> {
    const clusters: FoundClusters['clusters'][number][] = [];
    const unread: FoundClusters['unread'][number][] = [];
    for (const { metadata, data } of secrets) {
      const own = `${prefix}${options.namespace}/${metadata.name}:`;
      try {
        const text = Buffer.from(data?.[key] ?? '', 'base64').toString();
        const source = { prefix: own, regionName: 'secret', contexts: null, allowed };
        const read = await options.kubeconfigs.run('clustersOf', { text, source }, { owner: own, signal, withinMs });
        if ('unusable' in read) unread.push({ prefix: own, reason: `the Secret ${metadata.name}: ${read.unusable}` });
        else clusters.push(...read);
      } catch (error) {
        // Neither says anything about the Secret, so it is read again.
        if (signal.aborted || (error instanceof WorkRefused && error.refusal === 'busy')) found.forget();
        signal.throwIfAborted();
        unread.push({ prefix: own, reason: `the Secret ${metadata.name}: it cannot be read` });
      }
    }
    return { clusters, unread };
  }

  return { source: `the labelled Secrets of ${options.namespace}`, prefix, everyMs, find };
}

export const labelledSecretsPrefix = prefix;
