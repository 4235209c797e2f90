import type { Queries } from '@berth/shared/db/database';
import { sql } from 'slonik';
import { z } from 'zod';

export const DeploymentSeen = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  env_id: z.uuid(),
  enabled: z.boolean(),
});
export type DeploymentSeen = z.infer<typeof DeploymentSeen>;

const deployment = sql.type(DeploymentSeen);

/** Deployments as `tasks` tells of them. */
export const createDeploymentSeenRepository = (db: Queries) => ({
  find: (id: string) =>
    db.maybeOne(deployment`select id, name, env_id, enabled from deployments_seen where id = ${id} and not deleted`),
});
export type DeploymentSeenRepository = ReturnType<typeof createDeploymentSeenRepository>;
