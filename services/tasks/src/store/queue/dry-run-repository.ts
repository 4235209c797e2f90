import { Id } from '@berth/contracts/fields/fields';
import type { Queries } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Claim, firstFree, inMs, isClaimOf, newFence } from './claim-sql.ts';

export interface NewDryRun {
  id: string;
  requester: string;
  env_id: string;
  kind_id: string;
  deployment_id: string;
  cluster_id: string;
  namespace: string;
  helm_chart_id: string | null;
  sealed_run: string;
  adopts: boolean;
}

const Counts = z.object({ of_requester: z.number().int(), of_env: z.number().int(), in_all: z.number().int() });
const ClaimedDryRun = z.object({
  id: Id,
  fence: z.number().int(),
  cluster_id: Id,
  sealed_run: z.string(),
  within_ms: z.number(),
});
export type ClaimedDryRun = z.infer<typeof ClaimedDryRun>;
const Ended = z.object({ id: Id, is_claimed: z.boolean(), sealed_outcome: z.string().nullable() });

/** Too little time is left for a runner to finish. */
const leastMs = 2_000;
/** Its caller has stopped waiting. */
const over = sql.fragment`expires_at < clock_timestamp()`;
/** It has no outcome yet and may still get one. */
export const isOpenDryRun = (claim: Claim) =>
  sql.fragment`${isClaimOf(sql.fragment`dry_runs`, claim)} and sealed_outcome is null and not (${over})`;

/** Dry runs of plans: short-lived rows that no other row refers to. */
export const createDryRunRepository = (db: Queries) => ({
  /** Counts the open dry runs under a lock, so that no other transaction adds one meanwhile. */
  countLocked: async ({ requester, env_id }: Pick<NewDryRun, 'requester' | 'env_id'>) => {
    await db.query(statement`select pg_advisory_xact_lock(hashtextextended('dry_runs', 0))`);
    return db.one(sql.type(Counts)`
      select count(*) filter (where requester = ${requester}) as of_requester,
        count(*) filter (where env_id = ${env_id}) as of_env, count(*) as in_all
      from dry_runs where not (${over})
    `);
  },

  insert: (run: NewDryRun, withinMs: number) =>
    db.query(statement`
      insert into dry_runs (
        id, requester, env_id, kind_id, deployment_id, cluster_id, namespace, helm_chart_id, expires_at, sealed_run, adopts
      )
      values (
        ${run.id}, ${run.requester}, ${run.env_id}, ${run.kind_id}, ${run.deployment_id}, ${run.cluster_id}, ${run.namespace},
        ${run.helm_chart_id},
        ${inMs(withinMs)}, ${run.sealed_run}, ${run.adopts}
      )
    `),

  /**
   * The oldest dry run of the env, and in it of the requester, for whom the fewest are made now. It is claimed only once: nobody
   * waits long enough for a second runner.
   */
  claim: () =>
    db.maybeOne(sql.type(ClaimedDryRun)`
      with made as materialized (
        select env_id, requester from dry_runs where fence is not null and sealed_outcome is null and not (${over})
      )
      update dry_runs set fence = ${newFence}
      where id = (
        select id from dry_runs w where fence is null and expires_at > ${inMs(leastMs)}
        ${firstFree(
          sql.fragment`
            (select count(*) from made where made.env_id = w.env_id),
            (select count(*) from made where made.requester = w.requester), expires_at`,
          1,
        )}
      )
      returning id, fence, cluster_id, sealed_run,
        (extract(epoch from expires_at - clock_timestamp()) * 1000)::double precision as within_ms
    `),

  /** Records the first outcome of the claim; later ones are ignored. */
  finish: (claim: Claim, sealed_outcome: string) =>
    db.query(statement`
      update dry_runs set sealed_outcome = ${sealed_outcome} where ${isOpenDryRun(claim)}
    `),

  outcomes: (ids: readonly string[]) =>
    db.any(sql.type(Ended)`
      select id, fence is not null as is_claimed, sealed_outcome from dry_runs where id = any(${sql.array([...ids], 'uuid')})
    `),

  remove: (ids: readonly string[]) =>
    db.query(statement`delete from dry_runs where id = any(${sql.array([...ids], 'uuid')})`),

  /** Rows that a killed process left behind. */
  removeOver: () => db.query(statement`delete from dry_runs where ${over}`),
});
