import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { AllowedField } from '@berth/kube/kube-access';
import { type Kubeconfig, parseKubeconfig } from '@berth/kube/kubeconfig';
import type { ClusterProvider, ReachableCluster } from './cluster-provider.ts';
import { clustersOfKubeconfig } from './clusters-of-kubeconfig.ts';
import { inlineCertificateFiles } from './inline-certificate-files.ts';
import { SourceUnreadable } from './source-unreadable.ts';
import { tokenFromFile } from './token-from-file.ts';
import { tokenFromProgram } from './token-from-program.ts';
import { whenChanged } from './when-changed.ts';

const prefix = 'kubeconfig:';

export interface ReadKubeconfigOptions {
  readonly path: string;
  /** The contexts to read; null: all. */
  readonly contexts: readonly string[] | null;
  readonly allowed?: ReadonlySet<AllowedField>;
  /** The paths of the programs that `exec` may name. */
  readonly commands?: ReadonlySet<string>;
}

/**
 * Reads the clusters of a kubeconfig file, one for each context, on every call. Returns the same objects unless the file or a
 * certificate file that it names has changed. Throws if the file as a whole is unusable.
 */
export function kubeconfigReader(options: ReadKubeconfigOptions): () => Promise<readonly ReachableCluster[]> {
  const { path } = options;
  const parsed = whenChanged<Kubeconfig>();
  const clusters = whenChanged<readonly ReachableCluster[]>();

  return async () => {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new SourceUnreadable(`the kubeconfig ${path} cannot be read (${error.code})`);
    });
    // An empty file is probably being rewritten.
    if (text.trim() === '') throw new SourceUnreadable(`the kubeconfig ${path} is empty`);
    const kubeconfig = await inlineCertificateFiles(
      parsed(text, () => parseKubeconfig(text)),
      dirname(path),
    );
    return clusters(JSON.stringify(kubeconfig), () => clustersIn(kubeconfig, options));
  };
}

function clustersIn(
  kubeconfig: Kubeconfig,
  { path, contexts, allowed = new Set(), commands = new Set() }: ReadKubeconfigOptions,
): ReachableCluster[] {
  return clustersOfKubeconfig(kubeconfig, { prefix, regionName: 'kubeconfig', contexts, allowed }).map((cluster) => {
    const { tokenFile, exec } = cluster.access ?? {};
    if (tokenFile !== undefined) return { ...cluster, token: tokenFromFile(resolve(dirname(path), tokenFile)) };
    if (exec === undefined) return cluster;
    if (commands.has(exec.command)) return { ...cluster, token: tokenFromProgram(exec) };
    return { ...cluster, access: null, refused: refusedCommand };
  });
}

const refusedCommand =
  'its context in the kubeconfig is refused: the program of exec is not one of CLUSTER_KUBECONFIG_EXEC_COMMANDS';

/** The file is read each time, so that a moved cluster is found again. */
export function kubeconfigProvider(options: ReadKubeconfigOptions, everyMs: number): ClusterProvider {
  const read = kubeconfigReader(options);
  return { source: 'the kubeconfig', prefix, everyMs, find: async () => ({ clusters: await read(), unread: [] }) };
}

export const kubeconfigPrefix = prefix;
