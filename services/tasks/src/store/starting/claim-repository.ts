import { Id } from '@berth/contracts/fields/fields';
import type { Transaction } from '@berth/db/database';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { Requester } from '../../records/requester.ts';
import { TaskRecord } from '../../records/task-record.ts';
import { taskRecordColumns } from '../tasks/task-repository.ts';
import type { Limits } from '../../records/limits.ts';
import { inMs } from '../queue/claim-sql.ts';
import { oldestTask, sharedTask } from './next-task.ts';
import { taskIsFree } from './obstacles.ts';

export interface ClaimOptions {
  runner: string;
  leaseMs: number;
  limits: Limits;
  /** The runner waits for what an earlier claim has deployed. */
  continuesWaits: boolean;
  /** The task whose requester has been checked; claims skip other tasks that need this check. */
  checked?: string | null;
  /** Only one task is due, so that there is nothing to share. */
  isAlone?: boolean;
}

const DueCheck = z.object({ id: Id, requester: Requester.nullable() });
export type DueCheck = z.infer<typeof DueCheck>;

/**
 * Plans each claim anew. A plan cached while the queue was empty scans the whole queue later, so claims would become slower as
 * the queue grows.
 */
const planEachTime = sql.fragment`set_config('plan_cache_mode', 'force_custom_plan', true)`;
const planned = sql.type(z.object({ plans: z.string() }))`select ${planEachTime} as plans`;

const turn = sql.type(z.object({ due: z.number() }));
/** Counts up to two: the task to claim, and whether another is due. */
const maxCounted = 2;

const p = sql.fragment`p`;

/**
 * Tasks that the runner may take. A runner of the version before would report a release that it finds deployed as ready, so newer
 * ones get such tasks. After two minutes any runner may take them: there may be no newer one, as when an upgrade is undone.
 */
const fits = ({ continuesWaits }: Pick<ClaimOptions, 'continuesWaits'>) =>
  continuesWaits
    ? sql.fragment`true`
    : sql.fragment`(not p.may_await or p.helm_fence = 0 or p.due_at < clock_timestamp() - interval '2 minutes')`;

/**
 * Whoever knows a claim may write its task, read its chart and access its cluster, so fences must not be guessable: they grow by
 * random steps of up to 2^40. A task can have a few thousand claims before its fence exceeds 2^53.
 */
const unguessable = sql.fragment`('x' || right(gen_random_uuid()::text, 10))::bit(40)::bigint`;

export const createClaimRepository = (tx: Transaction) => ({
  /**
   * Makes claims run one after the other: two that count at the same time would both find the last free slot. Returns how many
   * tasks are due, 2 for more. Most claims find none and must cost almost nothing.
   */
  waitForTurn: async (): Promise<number> => {
    const { due } = await tx.one(turn`
      select pg_advisory_xact_lock(hashtextextended('claim a task', 0))::text as turn,
        ${planEachTime} as plans,
        (
          select count(*)::integer from (
            select from deployment_tasks where status = 'Pending' and due_at <= clock_timestamp() limit ${maxCounted}
          ) counted
        ) as due
    `);
    return due;
  },

  /**
   * The task that the next claim would take, if its requester has to be checked. It takes no lock, so the next claim may take
   * another.
   */
  nextCheck: async (options: Pick<ClaimOptions, 'limits' | 'continuesWaits'>): Promise<DueCheck | null> => {
    await tx.query(planned);
    return tx.maybeOne(sql.type(DueCheck)`
      ${sharedTask(fits(options), options.limits)}
      select t.id, t.requester from chosen join deployment_tasks t on t.id = chosen.task_id where t.checks_requester
    `);
  },

  /** Takes the first task that may start, and skips deployments that a request has locked. */
  take: async (options: ClaimOptions): Promise<TaskRecord | null> => {
    const { limits, checked = null, isAlone = false } = options;
    const chosen = isAlone ? oldestTask : sharedTask;
    const which = sql.fragment`(not p.checks_requester or p.id = ${checked}) and ${fits(options)}`;
    const firstOf = (tasks: FragmentSqlToken) => sql.fragment`
      ${chosen(which, limits)},
      first as materialized (
        select p.id
        from deployment_tasks p join deployments d on d.id = p.deployment_id
        where p.status = 'Pending' and ${tasks}
        order by p.due_at, p.seq limit 1
        for update of d skip locked
      )`;
    // Planning is half the cost of a claim, so other tasks are considered only if the first one is locked. Those of other clusters
    // come last: whoever keeps sending changes of one deployment must not hold up the platform.
    const inTurn = [
      sql.fragment`p.id = (select task_id from chosen)`,
      sql.fragment`p.cluster_id = (select id from chosen) and ${taskIsFree(p)} and ${which}`,
      sql.fragment`p.id in (select task_id from free)`,
    ];
    for (const tasks of inTurn) {
      const taken = await start(tx, options, firstOf(tasks));
      if (taken || isAlone) return taken;
    }
    return null;
  },
});

const start = (tx: Transaction, { runner, leaseMs, continuesWaits }: ClaimOptions, first: FragmentSqlToken) =>
  tx.maybeOne(sql.type(TaskRecord)`
    ${first}
    update deployment_tasks t set
      status = 'Started',
      fence = t.fence + 1 + ${unguessable},
      started_at = clock_timestamp(),
      first_attempted_at = coalesce(t.first_attempted_at, clock_timestamp()),
      lease_until = ${inMs(leaseMs)},
      runner = ${runner},
      awaits_readiness = false,
      may_await = t.may_await or ${continuesWaits},
      reason = null
    from first
    where t.id = first.id and t.status = 'Pending'
    returning ${taskRecordColumns}
  `);
