import type { Queries } from '@berth/db/database';
import { sql } from 'slonik';
import { z } from 'zod';

const nothing = sql.type(z.strictObject({}));

/** Deployment kinds as published by registry-scan. */
export const createDeploymentKindRepository = (db: Queries) => ({
  exists: (id: string) => db.exists(nothing`select from deployment_kind_projection where id = ${id} and not deleted`),
});
export type DeploymentKindRepository = ReturnType<typeof createDeploymentKindRepository>;
