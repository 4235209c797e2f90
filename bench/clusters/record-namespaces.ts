import type { Client } from 'pg';
import { deploymentIdOf } from './deployment-id-of.ts';

/** Records the owners of a fake cluster's namespaces when the cluster is found, as if they had been entered before. */
export async function recordNamespaces(
  db: Client,
  { names, each }: { names: readonly string[]; each: number },
): Promise<void> {
  const namespaces = names.flatMap((cluster) =>
    Array.from({ length: each }, (_, n) => ({ cluster, name: `web-${n}`, id: deploymentIdOf(cluster, `web-${n}`) })),
  );
  await db.query('create table namespaces_of_fakes (cluster text, name text, id uuid)');
  await db.query(
    'insert into namespaces_of_fakes select * from jsonb_to_recordset($1) as n(cluster text, name text, id uuid)',
    [JSON.stringify(namespaces)],
  );
  await db.query(`
    create function record_namespaces() returns trigger language plpgsql as $$
    begin
      insert into deployment_namespaces (cluster_id, name, deployment_id, mark)
      select new.id, n.name, n.id, n.id::text from namespaces_of_fakes n where n.cluster = new.name;
      return null;
    end $$
  `);
  await db.query(
    'create trigger record after insert on k8s_clusters for each row execute function record_namespaces()',
  );
}
