import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Kubeconfig } from '@berth/kube/kubeconfig';

type Fields = Record<string, unknown>;

const maxBytes = 256 * 1024;

/**
 * Replaces the certificate files that a kubeconfig names with their content. Only for the operator's own kubeconfig, which
 * may name any readable file; a kubeconfig from another source is refused if it names one.
 */
export async function inlineCertificateFiles(kubeconfig: Kubeconfig, folder: string): Promise<Kubeconfig> {
  const clusters = kubeconfig.clusters.map(async ({ name, cluster }) => ({
    name,
    cluster: await inlined(cluster, ['certificate-authority'], folder),
  }));
  const users = kubeconfig.users.map(async ({ name, user }) => ({
    name,
    user: await inlined(user, ['client-certificate', 'client-key'], folder),
  }));

  return { ...kubeconfig, clusters: await Promise.all(clusters), users: await Promise.all(users) };
}

async function inlined(fields: Fields, names: string[], folder: string): Promise<Fields> {
  const result = { ...fields };
  for (const name of names) {
    const path = fields[name];
    if (typeof path !== 'string' || path === '') continue;
    // As in kubectl, data wins over a file.
    if (!fields[`${name}-data`]) result[`${name}-data`] = await base64Of(resolve(folder, path));
    delete result[name];
  }
  return result;
}

/** Empty if the file cannot be read, so that only the context that needs it is refused. */
async function base64Of(path: string): Promise<string> {
  const file = await stat(path).catch(() => null);
  if (!file?.isFile() || file.size > maxBytes) return '';
  return (await readFile(path).catch(() => Buffer.alloc(0))).toString('base64');
}
