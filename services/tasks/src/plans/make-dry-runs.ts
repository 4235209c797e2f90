import { randomUUID } from 'node:crypto';
import type { Identity } from '@berth/contracts/access/identity';
import type { Bus } from '@berth/bus/bus';
import { type DryRunResult, dryRuns } from '@berth/contracts/resources/tasks/dry-runs';
import { AppError } from '@berth/contracts/errors';
import type { AuditEntry } from '@berth/db/audit/audit-log';
import { createWakeUp } from '@berth/service/waiting/wake-up';
import { z } from 'zod';
import type { PlanOutcome, TaskMetrics } from '../metrics/task-metrics.ts';
import type { SecretKeys } from '../secrets/secret-keys.ts';
import type { InTransaction, ReadingStore } from '../store/store.ts';
import type { DryRunRecord } from './dry-run-record.ts';
import { openText, sealText } from './sealed-text.ts';

/** Maximum number of concurrent dry runs; a move needs two. */
export const most = { ofRequester: 4, ofEnv: 16, inAll: 64 };

/** Poll interval, since the hint that a dry run has ended may be lost. */
const pollMs = 500;
/** Reserved for the answer and the rest of the plan's checks. */
const reserveMs = 1_500;
const leastMs = 3_000;

export const Outcome = z.object(dryRuns.operations.report.body.shape).shape.outcome;
export type Outcome = z.infer<typeof Outcome>;

export interface MakeDryRunsDeps {
  store: Pick<ReadingStore, 'dryRuns'>;
  inTransaction: InTransaction;
  bus: Pick<Bus, 'hints'>;
  secretKeys: SecretKeys;
  metrics: Pick<TaskMetrics, 'planned' | 'plansWaiting'>;
}

export interface DryRunRequest {
  identity: Identity;
  /** Recorded with the dry runs, because templates can read the cluster. */
  audit: AuditEntry;
  envId: string;
  kindId: string;
  signal: AbortSignal;
  remainingMs: () => number;
}

export const sealedRun = (id: string): string => `run of dry run ${id}`;
export const sealedOutcome = (id: string): string => `outcome of dry run ${id}`;

/** Queues the dry runs, waits for their results, and deletes them. */
export async function makeDryRuns(
  deps: MakeDryRunsDeps,
  runs: readonly DryRunRecord[],
  request: DryRunRequest,
): Promise<DryRunResult[]> {
  if (runs.length === 0) {
    await deps.inTransaction((store) => store.recordAudit(request.audit));
    return [];
  }
  const { metrics } = deps;
  const began = performance.now();
  const ended = (outcome: PlanOutcome) => metrics.planned(outcome, (performance.now() - began) / 1_000);
  metrics.plansWaiting.inc();
  try {
    const results = await made(deps, runs, request);
    ended('ok');
    return results;
  } catch (error) {
    ended(error instanceof AppError ? error.code : 'internal');
    throw error;
  } finally {
    metrics.plansWaiting.dec();
  }
}

async function made(
  deps: MakeDryRunsDeps,
  runs: readonly DryRunRecord[],
  request: DryRunRequest,
): Promise<DryRunResult[]> {
  const withinMs = request.remainingMs() - reserveMs;
  if (withinMs < leastMs) throw new AppError('unavailable', 'Too little time is left for a plan; try again');
  const ids = runs.map(() => randomUUID());
  try {
    await add(deps, runs, { ids, withinMs, request });
    return await results(deps, ids, request.signal, performance.now() + withinMs);
  } finally {
    await deps.store.dryRuns.remove(ids);
  }
}

interface Adding {
  ids: readonly string[];
  withinMs: number;
  request: DryRunRequest;
}

async function add(
  { inTransaction, secretKeys, bus }: MakeDryRunsDeps,
  runs: readonly DryRunRecord[],
  { ids, withinMs, request: { identity, audit, envId: env_id, kindId: kind_id } }: Adding,
): Promise<void> {
  const requester = `${identity.kind} ${identity.id}`;
  await inTransaction(async (store) => {
    const { of_requester, of_env, in_all } = await store.dryRuns.countLocked({ requester, env_id });
    if (of_requester + runs.length > most.ofRequester)
      throw new AppError('too_many_requests', 'You have other plans that are being made; wait for them');
    if (of_env + runs.length > most.ofEnv)
      throw new AppError('too_many_requests', 'Too many plans are being made for the env; try again');
    if (in_all + runs.length > most.inAll)
      throw new AppError('unavailable', 'Too many plans are being made; try again');
    await store.recordAudit(audit);
    for (const [index, run] of runs.entries()) {
      const id = ids[index] ?? '';
      const { deployment_id, cluster_id, namespace } = run;
      const sealed_run = sealText(secretKeys, sealedRun(id), JSON.stringify(run));
      const helm_chart_id = run.run?.helm_chart_id ?? null;
      const adopts = run.run?.adopts ?? false;
      await store.dryRuns.insert(
        { id, requester, env_id, kind_id, deployment_id, cluster_id, namespace, helm_chart_id, sealed_run, adopts },
        withinMs,
      );
    }
  });
  bus.hints.send('dry_runs_due', 'due');
}

async function results(
  { store, bus, secretKeys }: MakeDryRunsDeps,
  ids: readonly string[],
  canceled: AbortSignal,
  giveUpAt: number,
): Promise<DryRunResult[]> {
  const done = new AbortController();
  const signal = AbortSignal.any([canceled, done.signal]);
  const { wake, wait } = createWakeUp(signal);
  for (const key of ids) bus.hints.listen('dry_run_ended', wake, { key, signal });
  try {
    for (;;) {
      const rows = await store.dryRuns.outcomes(ids);
      const outcomes = ids.flatMap((id) => {
        const sealed = rows.find((row) => row.id === id)?.sealed_outcome ?? null;
        return sealed === null ? [] : [Outcome.parse(JSON.parse(openText(secretKeys, sealedOutcome(id), sealed)))];
      });
      const failed = outcomes.find((outcome) => 'failure' in outcome);
      if (failed && 'failure' in failed) throw refusalOf(failed.failure);
      if (outcomes.length === ids.length) return outcomes.flatMap((one) => ('result' in one ? [one.result] : []));

      const leftMs = giveUpAt - performance.now();
      canceled.throwIfAborted();
      if (leftMs <= 0) throw tooLate(rows.every(({ is_claimed }) => is_claimed));
      await wait(Math.min(pollMs, leftMs));
    }
  } finally {
    done.abort();
  }
}

function refusalOf({ refused, reason, is_conflict }: Extract<Outcome, { failure: unknown }>['failure']): AppError {
  if (!refused) return new AppError('unavailable', reason);
  return new AppError(is_conflict ? 'conflict' : 'unprocessable', reason);
}

const tooLate = (isClaimed: boolean): AppError =>
  isClaimed
    ? new AppError('timeout', 'The plan was not made in time')
    : new AppError('unavailable', 'No runner is free to make the plan; try again');
