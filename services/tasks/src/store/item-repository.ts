import type { readableProperties } from '@berth/chart-extensions/collection';
import { Id, Timestamp } from '@berth/shared/contracts/fields';
import type { Queries } from '@berth/shared/db/database';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';

/** What a chart may read of a deployment that an input points to. */
const DeploymentItem = z.object({
  id: Id,
  created_at: Timestamp,
  name: z.string(),
  kind: z.string(),
  cluster_id: Id,
  enabled: z.boolean(),
} satisfies Record<(typeof readableProperties.deployments)[number], z.ZodType>);

export const createItemRepository = (db: Queries) => {
  const deploymentsOf = (env_id: string, ids: readonly string[], lock: FragmentSqlToken) =>
    db.any(sql.type(DeploymentItem)`
      select d.id, d.created_at, d.name, coalesce(k.name, '') as kind, d.cluster_id, d.enabled
      from deployments d left join deployment_kinds_seen k on k.id = d.kind_id
      where d.id = any(${sql.array([...ids], 'uuid')}) and d.env_id = ${env_id} and not d.deleting
      order by d.id ${lock}
    `);
  return {
    deployments: (env_id: string, ids: readonly string[]) => deploymentsOf(env_id, ids, sql.fragment``),

    /** The same, and none of them is disabled or deleted until the transaction ends. */
    heldDeployments: (env_id: string, ids: readonly string[]) =>
      deploymentsOf(env_id, ids, sql.fragment`for share of d`),
  };
};
export type ItemRepository = ReturnType<typeof createItemRepository>;
