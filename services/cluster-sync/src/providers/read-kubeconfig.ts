import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { AllowedField } from '@berth/kube/kube-access';
import { parseKubeconfig } from '@berth/kube/kubeconfig';
import type { ClusterProvider, ReachableCluster } from './cluster-provider.ts';
import { clustersOfKubeconfig } from './clusters-of-kubeconfig.ts';
import { inlineCertificateFiles } from './inline-certificate-files.ts';
import { tokenFromFile } from './token-from-file.ts';
import { tokenFromProgram } from './token-from-program.ts';

const prefix = 'kubeconfig:';

export interface ReadKubeconfigOptions {
  readonly path: string;
  /** The contexts to read; null: all. */
  readonly contexts: readonly string[] | null;
  readonly allowed?: ReadonlySet<AllowedField>;
  /** The programs that `exec` may name, by their paths. */
  readonly commands?: ReadonlySet<string>;
}

/** Reads the clusters of a kubeconfig file, one for each context. Throws where the file as a whole is unusable. */
export async function readKubeconfig({
  path,
  contexts,
  allowed = new Set(),
  commands = new Set(),
}: ReadKubeconfigOptions): Promise<ReachableCluster[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`the kubeconfig ${path} cannot be read (${error.code})`);
  });
  // An empty file is probably being rewritten.
  if (text.trim() === '') throw new Error(`the kubeconfig ${path} is empty`);
  const kubeconfig = await inlineCertificateFiles(parseKubeconfig(text), dirname(path));
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

/** The file is read each time: a cluster that moved is found again. */
export const kubeconfigProvider = (options: ReadKubeconfigOptions, everyMs: number): ClusterProvider => ({
  source: 'the kubeconfig',
  prefix,
  everyMs,
  find: async () => ({ clusters: await readKubeconfig(options), unread: [] }),
});

export const kubeconfigPrefix = prefix;
