import { type Client, unwrap } from '@berth/client';
import { CliFailure } from '../failure/cli-failure.ts';
import { kindOf } from './kind-named.ts';
import { resolve } from './resolve.ts';

/** The id of the named cluster or, without a name, of the only cluster of the env. */
export async function findCluster(client: Client, envId: string, name: string | undefined): Promise<string> {
  if (name !== undefined) return (await resolve(client, kindOf('k8sClusters'), name, { env_id: envId })).id;
  const { items } = unwrap(await client.k8sClusters.list({ query: { env_id: envId, per_page: 100 } }));
  const usable = items.filter(({ ignore }) => !ignore);
  const [only] = usable;
  if (only && usable.length === 1) return only.id;
  const names = usable.map((cluster) => cluster.name).join(', ');
  throw new CliFailure(
    'usage',
    only
      ? `the env has several clusters: give --cluster, one of ${names}`
      : 'the env has no cluster: an admin assigns one',
  );
}
