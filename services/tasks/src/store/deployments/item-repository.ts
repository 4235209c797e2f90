import type { readableProperties } from '@berth/chart-extensions/form/collection';
import { Id, Timestamp } from '@berth/contracts/fields/fields';
import type { Queries } from '@berth/db/database';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';

/** The fields of a referenced deployment that a chart may read. */
const DeploymentItem = z.object({
  id: Id,
  created_at: Timestamp,
  name: z.string(),
  kind: z.string(),
  cluster_id: Id,
  enabled: z.boolean(),
} satisfies Record<(typeof readableProperties.deployments)[number], z.ZodType>);

/**
 * The fields of a secret that a chart can read. Contents are opened only for the answer to a runner, so that filters of a chart
 * cannot compare with them.
 */
const SecretItem = z.object({
  id: Id,
  created_at: Timestamp,
  updated_at: Timestamp,
  env_id: Id,
  collection: z.string(),
  name: z.string(),
} satisfies Record<Exclude<(typeof readableProperties.secrets)[number], 'contents'>, z.ZodType>);

export const createItemRepository = (db: Queries) => {
  const deploymentsOf = (env_id: string, ids: readonly string[], lock: FragmentSqlToken) =>
    db.any(sql.type(DeploymentItem)`
      select d.id, d.created_at, d.name, coalesce(k.name, '') as kind, d.cluster_id, d.enabled
      from deployments d left join deployment_kind_projection k on k.id = d.kind_id
      where d.id = any(${sql.array([...ids], 'uuid')}) and d.env_id = ${env_id} and not d.deleting
      order by d.id ${lock}
    `);
  const secretsOf = (env_id: string, ids: readonly string[], lock: FragmentSqlToken) =>
    db.any(sql.type(SecretItem)`
      select id, created_at, updated_at, env_id, collection, name from secrets
      where id = any(${sql.array([...ids], 'uuid')}) and env_id = ${env_id}
      order by id ${lock}
    `);
  return {
    deployments: (env_id: string, ids: readonly string[]) => deploymentsOf(env_id, ids, sql.fragment``),

    /** The same, locked so that none of them is disabled or deleted before the transaction ends. */
    heldDeployments: (env_id: string, ids: readonly string[]) =>
      deploymentsOf(env_id, ids, sql.fragment`for key share of d`),

    /**
     * For a task whose start is committed. Waits for changes under way. A change locks the row before it looks for started tasks
     * that use it, so either its result is read here, or it queues a `Reinstall` behind the task.
     */
    secrets: (env_id: string, ids: readonly string[]) => secretsOf(env_id, ids, sql.fragment`for share`),

    /**
     * The same, locked so that none of them is deleted before the transaction ends. Their contents may change: no task has read
     * them yet.
     */
    heldSecrets: (env_id: string, ids: readonly string[]) => secretsOf(env_id, ids, sql.fragment`for key share`),
  };
};
export type ItemRepository = ReturnType<typeof createItemRepository>;
