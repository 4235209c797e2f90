import type { Queries } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';

const LostNamespace = z.object({
  cluster_id: z.uuid(),
  namespace: z.string(),
  deployment_id: z.uuid(),
  /** How long ago the loss was noticed. */
  age_ms: z.number(),
});
export type LostNamespace = z.infer<typeof LostNamespace>;

/** `k8s-resource-repository.ts` adds rows, in the transaction that writes the change of the namespace. */
export const createLostNamespaceRepository = (db: Queries) => ({
  /** Claims due rows: other replicas do not get them for a while. */
  claim: (limit: number, forMs: number) =>
    db.any(sql.type(LostNamespace)`
      with due as (
        select cluster_id, namespace, deployment_id from lost_namespaces
        where due_at <= now() order by due_at limit ${limit} for update skip locked
      )
      update lost_namespaces l set due_at = now() + ${forMs} * interval '1 millisecond' from due
      where (l.cluster_id, l.namespace, l.deployment_id) = (due.cluster_id, due.namespace, due.deployment_id)
      returning l.cluster_id, l.namespace, l.deployment_id,
        (extract(epoch from now() - l.noticed_at) * 1000)::float8 as age_ms
    `),

  remove: async ({ cluster_id, namespace, deployment_id }: LostNamespace) => {
    await db.query(statement`
      delete from lost_namespaces
      where cluster_id = ${cluster_id} and namespace = ${namespace} and deployment_id = ${deployment_id}
    `);
  },
});
export type LostNamespaceRepository = ReturnType<typeof createLostNamespaceRepository>;
