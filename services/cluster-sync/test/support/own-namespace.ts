import type { Queries } from '@berth/db/database';
import { managedLabels, namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import { sql } from 'slonik';
import type { FoundNamespace } from '../../src/namespaces/found-namespace.ts';
import type { NamespaceRecord } from '../../src/namespaces/namespace-record.ts';

const markOf = (name: string): string => `mark of ${name}`;

/** The metadata of a namespace as cluster-sync makes it for a deployment. */
export const namespaceMetadata = (name: string, deploymentId: string) => ({
  name,
  labels: managedLabels,
  annotations: {
    [namespaceAnnotations.deploymentId]: deploymentId,
    [namespaceAnnotations.mark]: markOf(name),
  },
});

/** Records the namespace, as cluster-sync does before it creates one. */
export async function recordNamespace(
  db: Queries,
  { clusterId, name, deploymentId }: { clusterId: string; name: string; deploymentId: string },
): Promise<void> {
  await db.query(sql.unsafe`
    insert into deployment_namespaces (cluster_id, name, deployment_id, mark)
    values (${clusterId}, ${name}, ${deploymentId}, ${markOf(name)})
    on conflict (cluster_id, name) do update set deployment_id = excluded.deployment_id, mark = excluded.mark, uid = null
  `);
}

/** For watches of fake servers: `tasks` would confirm the deployment that a namespace names. */
export const adoptByAnnotation = async (
  _clusterId: string,
  { uid, namedDeployment }: FoundNamespace,
): Promise<NamespaceRecord | null> =>
  namedDeployment === null ? null : { deployment_id: namedDeployment, mark: null, uid };
