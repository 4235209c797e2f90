import type { Queries } from '@berth/shared/db/database';
import { sql } from 'slonik';
import { z } from 'zod';

const nothing = sql.type(z.strictObject({}));

/** Deployment kinds as registry-scan tells of them. */
export const createDeploymentKindSeenRepository = (db: Queries) => ({
  exists: (id: string) => db.exists(nothing`select from deployment_kinds_seen where id = ${id} and not deleted`),
});
export type DeploymentKindSeenRepository = ReturnType<typeof createDeploymentKindSeenRepository>;
