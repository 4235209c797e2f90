import type { Queries } from '@berth/db/database';
import { statement } from '@berth/db/statement';

/** Deployment kinds as published by registry-scan. */
export const createDeploymentKindRepository = (db: Queries) => ({
  exists: (id: string) => db.exists(statement`select from deployment_kind_projection where id = ${id} and not deleted`),
});
export type DeploymentKindRepository = ReturnType<typeof createDeploymentKindRepository>;
