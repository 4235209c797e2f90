import { deploymentKinds } from '@berth/shared/contracts/deployment-kinds';
import { deployments } from '@berth/shared/contracts/deployments';
import { followProjection } from '@berth/shared/db/projection';

type Following = Pick<Parameters<typeof followProjection>[0], 'db' | 'bus'>;

/** For roles on kinds: whether a kind exists. */
export const followDeploymentKinds = ({ db, bus }: Following) =>
  followProjection({ db, bus, resource: deploymentKinds, table: 'deployment_kinds_seen', columns: [] });

/** For deployments that call back: their env, and whether they may. */
export const followDeployments = ({ db, bus }: Following) =>
  followProjection({
    db,
    bus,
    resource: deployments,
    table: 'deployments_seen',
    columns: ['name', 'env_id', 'enabled'],
  });
