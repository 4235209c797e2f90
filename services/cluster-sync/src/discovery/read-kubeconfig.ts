import { startOf } from '@berth/shared/cut-text';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type KubeAccess, kubeAccessOf } from '@berth/kube/kube-access';
import { parseKubeconfig } from '@berth/kube/kubeconfig';
import { inlineCertificateFiles } from '../kube/inline-certificate-files.ts';
import type { FoundCluster } from './discovery-plan.ts';

export const kubeconfigPrefix = 'kubeconfig:';

/** A cluster with its access; null where the context is refused. */
export interface ReachableCluster extends FoundCluster {
  readonly access: KubeAccess | null;
}

export interface ReadKubeconfigOptions {
  readonly path: string;
  /** The contexts to read; null: all. */
  readonly contexts: readonly string[] | null;
}

/** Reads the clusters of a kubeconfig file, one for each context. Throws where the file as a whole is unusable. */
export async function readKubeconfig({ path, contexts }: ReadKubeconfigOptions): Promise<ReachableCluster[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`the kubeconfig ${path} cannot be read (${error.code})`);
  });
  // An empty file is probably being rewritten.
  if (text.trim() === '') throw new Error(`the kubeconfig ${path} is empty`);
  const kubeconfig = await inlineCertificateFiles(parseKubeconfig(text), dirname(path));
  const names = new Set(contexts ?? kubeconfig.contexts.map(({ name }) => name));

  return [...names].map((name) => {
    const result = kubeAccessOf(kubeconfig, name);
    return {
      provider_id: kubeconfigPrefix + name,
      name: startOf(name.trim(), 100) || 'unnamed',
      region_name: 'kubeconfig',
      access: 'access' in result ? result.access : null,
      refused: 'refused' in result ? `its context in the kubeconfig is refused: ${result.refused}` : null,
    };
  });
}
