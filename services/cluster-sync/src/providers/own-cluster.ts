import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeAccess } from '@berth/kube/kube-access';
import type { ChangingToken, ClusterProvider } from './cluster-provider.ts';
import { SourceUnreadable } from './source-unreadable.ts';
import { tokenFromFile } from './token-from-file.ts';

/** The folder of the service account that Kubernetes mounts into a pod, and the address of its API server. */
export interface OwnClusterOptions {
  readonly folder: string;
  readonly host: string;
  readonly port: string;
}

export interface OwnAccess {
  readonly access: KubeAccess;
  readonly token: ChangingToken;
}

const prefix = 'own:';

/** Access to the cluster that the service runs in. The CA certificate is read each time, since it may be replaced. */
export function ownAccess({ folder, host, port }: OwnClusterOptions): () => Promise<OwnAccess> {
  const token = tokenFromFile(join(folder, 'token'));
  const address = host.includes(':') ? `[${host}]` : host;

  return async () => {
    const ca = await readFile(join(folder, 'ca.crt'), 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new SourceUnreadable(`the authority of the service account cannot be read (${error.code})`);
    });
    return { access: { server: `https://${address}:${port}`, ca, token: null, certificate: null }, token };
  };
}

/** The cluster that the service runs in, under a name that the operator gives it. */
export const ownClusterProvider = (
  { name, access }: { name: string; access: () => Promise<OwnAccess> },
  everyMs: number,
): ClusterProvider => ({
  source: 'the configuration',
  prefix,
  everyMs,
  find: async () => ({
    clusters: [{ provider_id: prefix + name, name, region_name: 'own', refused: null, ...(await access()) }],
    unread: [],
  }),
});

export const ownClusterPrefix = prefix;
