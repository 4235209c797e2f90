import { implement } from '@berth/bus/rpc/implement';
import { queuedTasks } from '@berth/contracts/definition/queued-tasks';
import { envImpact } from '@berth/contracts/resources/envs/env-impact';
import { envs } from '@berth/contracts/resources/envs/envs';
import type { Database } from '@berth/db/database';
import type { Projections } from './projections.ts';
import { liesIn } from '../store/deployments/impact-repository.ts';
import type { ReadingStore } from '../store/store.ts';

export interface EnvImpactDeps {
  db: Database;
  store: Pick<ReadingStore, 'impact' | 'projected'>;
  projections: Pick<Projections, 'envs'>;
}

export const envImpactHandlers = ({ db, store, projections }: EnvImpactDeps) =>
  implement(envImpact, {
    of: ({ body: { env_id, query } }) => store.impact.list(liesIn(env_id), query, 'all'),

    take: async ({ body: { env } }) => {
      await projections.envs.apply(db, { ...env, resource: envs.name, id: env.row.id });
      return (await store.projected.reinstallsOfPlacement(env.row.id, env.version)) ?? queuedTasks([]);
    },
  });
