import { describeFailure } from '@berth/kube/describe-failure';
import type { AllowedField } from '@berth/kube/kube-access';
import { openKubeApi } from '@berth/kube/kube-api';
import { parseKubeconfig, UnusableKubeconfig } from '@berth/kube/kubeconfig';
import { z } from 'zod';
import { listPages } from '../kube/list-pages.ts';
import type { ClusterProvider, FoundClusters } from './cluster-provider.ts';
import { clustersOfKubeconfig } from './clusters-of-kubeconfig.ts';
import type { OwnAccess } from './own-cluster.ts';
import { SourceUnreadable } from './source-unreadable.ts';
import { whenChanged } from './when-changed.ts';

export interface LabelledSecretsOptions {
  /** Access to the cluster with the Secrets: the one that the service runs in. */
  readonly access: () => Promise<OwnAccess>;
  readonly namespace: string;
  readonly allowed: ReadonlySet<AllowedField>;
}

const prefix = 'secret:';
const secretLabel = 'berth.dev/cluster';
const key = 'kubeconfig';
const mostSecrets = 500;
/** Anybody who may write Secrets can make one, so it must neither read files of this machine nor run programs on it. */
const ofThisMachine: readonly AllowedField[] = ['tokenFile', 'exec'];

const Secret = z.object({
  metadata: z.object({ name: z.string() }),
  data: z.record(z.string(), z.string()).nullish(),
});
type Secret = z.infer<typeof Secret>;

/** Reads the Secrets with the label, each with a kubeconfig. They are read every time, so a change counts at the next read. */
export function labelledSecretsProvider(options: LabelledSecretsOptions, everyMs: number): ClusterProvider {
  const allowed = new Set([...options.allowed].filter((field) => !ofThisMachine.includes(field)));
  const found = whenChanged<FoundClusters>();

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
        `the Secrets in ${options.namespace} cannot be read: ${describeFailure(error, api.server)}`,
        {
          cause: error,
        },
      );
    }
    return found(JSON.stringify(secrets), () => clustersOf(secrets));
  };

  function clustersOf(secrets: readonly Secret[]): FoundClusters {
    const clusters: FoundClusters['clusters'][number][] = [];
    const unread: FoundClusters['unread'][number][] = [];
    for (const { metadata, data } of secrets) {
      const own = `${prefix}${options.namespace}/${metadata.name}:`;
      try {
        const kubeconfig = parseKubeconfig(Buffer.from(data?.[key] ?? '', 'base64').toString());
        const source = { prefix: own, regionName: 'secret', contexts: null, allowed };
        clusters.push(...clustersOfKubeconfig(kubeconfig, source));
      } catch (error) {
        unread.push({ prefix: own, reason: `the Secret ${metadata.name}: ${wordsOf(error)}` });
      }
    }
    return { clusters, unread };
  }

  return { source: `the labelled Secrets of ${options.namespace}`, prefix, everyMs, find };
}

/** Only messages that never quote what was read are passed on. */
const wordsOf = (error: unknown): string => (error instanceof UnusableKubeconfig ? error.message : 'it cannot be read');

export const labelledSecretsPrefix = prefix;
