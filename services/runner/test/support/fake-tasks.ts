import { randomUUID } from 'node:crypto';
import type { Bus } from '@berth/bus/bus';
import { implement } from '@berth/bus/rpc/implement';
import { type ClaimedTask, type LogLine, runnerTasks } from '@berth/contracts/resources/tasks/runner-tasks';
import { type DryRun, dryRuns } from '@berth/contracts/resources/tasks/dry-runs';
import { AppError } from '@berth/contracts/errors';
import type { z } from 'zod';

export type DryRunOutcome = z.output<typeof dryRuns.operations.report.body>['outcome'];

export interface ReportedOutcome {
  task_id: string;
  fence: number;
  outcome: string;
  reason: string | null;
  at: number;
  helm_ended?: boolean | undefined;
}

export type FakeTasks = ReturnType<typeof createFakeTasks>;

/** Heartbeats begin a second after a claim. */
const lostAfterMs = 15_000;

/** A stand-in for the service `tasks`: answers claims, keeps leases by fence, records outcomes and log lines. */
export function createFakeTasks(bus: Bus) {
  const due: ClaimedTask[] = [];
  const charts = new Map<string, ClaimedTask['chart']>();
  const fences = new Map<string, number>();
  const ends: ReportedOutcome[] = [];
  const lines: (LogLine & { task_id: string; fence: number })[] = [];
  const canceled = new Set<string>();
  const ended = new Set<string>();
  const claimed: string[] = [];
  const begun: string[] = [];
  const beats: string[] = [];
  const awaiting = new Set<string>();
  const handedOut = new Map<string, { task: ClaimedTask; at: number }>();
  const waits: { task_id: string; text: string | null }[] = [];
  let leaseMs = 30_000;
  let isUnavailable = false;
  let refusesAwaiting = false;

  const check = ({ task_id, fence }: { task_id: string; fence: number }) => {
    if (fences.get(task_id) !== fence) throw new AppError('conflict', 'The task was taken over by another runner');
  };
  const checkAvailable = () => {
    if (isUnavailable) throw new AppError('unavailable', 'The database does not answer');
  };

  /** A claim whose answer came too late for its runner, so that its lease would expire. */
  const unanswered = (): ClaimedTask | undefined =>
    [...handedOut.values()].find(
      ({ task: { task_id, fence }, at }) =>
        performance.now() - at > lostAfterMs && fences.get(task_id) === fence && !ended.has(task_id),
    )?.task;

  bus.serve(
    implement(runnerTasks, {
      claim: async () => {
        checkAvailable();
        const task = due.shift() ?? unanswered() ?? null;
        if (task) {
          awaiting.delete(task.task_id);
          handedOut.set(task.task_id, { task, at: performance.now() });
          fences.set(task.task_id, task.fence);
          claimed.push(task.task_id);
        }
        return { task, more: due.length > 0 };
      },
      heartbeat: async ({ body }) => {
        checkAvailable();
        check(body);
        if (ended.has(body.task_id)) throw new AppError('conflict', 'The task is over');
        beats.push(body.task_id);
        handedOut.delete(body.task_id);
        waits.push({ task_id: body.task_id, text: body.waits_for });
        if (body.helm_begins) begun.push(body.task_id);
        if (body.awaits && refusesAwaiting) throw new AppError('unavailable', 'The database does not answer');
        if (body.awaits === 'readiness') awaiting.add(body.task_id);
        return { lease_ms: leaseMs, cancel_requested: canceled.has(body.task_id) };
      },
      append_log: async ({ body }) => {
        checkAvailable();
        check(body);
        const { task_id, fence, first } = body;
        const known = lines.filter((line) => line.task_id === task_id && line.fence === fence).length;
        lines.push(...body.lines.slice(Math.max(0, known - first)).map((line) => ({ ...line, task_id, fence })));
        return null;
      },
      finish: async ({ body }) => {
        checkAvailable();
        check(body);
        ended.add(body.task_id);
        ends.push({ ...body, at: Date.now() });
        return null;
      },
    }),
  );

  const given = new Map<string, ClaimedTask | DryRun>();
  const dryRunsDue: DryRun[] = [];
  const outcomes = new Map<string, DryRunOutcome>();
  bus.serve(
    implement(dryRuns, {
      claim: async () => ({ dry_run: dryRunsDue.shift() ?? null }),
      report: async ({ body: { task_id, outcome } }) => {
        outcomes.set(task_id, outcome);
        return null;
      },
    }),
  );

  return {
    giveDryRun(run: DryRun): void {
      charts.set(run.task_id, run.chart);
      given.set(run.task_id, run);
      dryRunsDue.push(run);
      bus.hints.send('dry_runs_due', 'due');
    },
    /** The details of a claim, as tasks answers cluster-sync. */
    held({ task_id, fence }: { task_id: string; fence: number }) {
      const run = given.get(task_id);
      if (!run) throw new AppError('conflict', 'The task is over');
      if ('is_first' in run) check({ task_id, fence });
      const { deployment_id, cluster_id, namespace } = run;
      const task =
        'is_first' in run
          ? {
              action: run.action,
              is_first: run.is_first && fence === 1,
              hostname: null,
              deployment_name: run.deployment_name,
              kind: run.kind,
            }
          : null;
      const place = { deployment_id, cluster_id, namespace, helm_chart_id: null, is_dry_run: task === null };
      return { ...place, adopts: run.adopts ?? false, env_id: cluster_id, kind_id: cluster_id, task };
    },
    outcomeOf: (id: string): DryRunOutcome | undefined => outcomes.get(id),
    ends,
    lines,
    chartOf: (taskId: string) => charts.get(taskId),
    claimed,
    /** Tasks with an attempt. */
    begun,
    /** Tasks whose latest claim only awaits readiness. */
    awaiting,
    /** Tasks with an answered heartbeat. */
    beats,
    beatsOf: (taskId: string): number => beats.filter((id) => id === taskId).length,
    give(task: ClaimedTask): void {
      leaseMs = task.lease_ms;
      ended.delete(task.task_id);
      charts.set(task.task_id, task.chart);
      given.set(task.task_id, task);
      due.push(task);
      bus.hints.send('tasks_due', 'due');
    },
    /** Withdraws a task that nobody has claimed. */
    withdraw(taskId: string): void {
      due.splice(0, due.length, ...due.filter(({ task_id }) => task_id !== taskId));
    },
    /** The causes of waits so far, from the heartbeats of the task. */
    waitsOf: (taskId: string): string[] =>
      waits.flatMap(({ task_id, text }) => (task_id === taskId && text !== null ? [text] : [])),
    endOfClaim: (taskId: string, fence: number): ReportedOutcome | undefined =>
      ends.find((end) => end.task_id === taskId && end.fence === fence),
    /** Another runner takes over. */
    takeAway: (taskId: string) => void fences.set(taskId, Number.MAX_SAFE_INTEGER),
    cancel(taskId: string, { hint = true } = {}): void {
      canceled.add(taskId);
      if (hint) bus.hints.send('task_cancel', taskId);
    },
    /** While true, every call is refused as unavailable. */
    setUnavailable: (value: boolean) => {
      isUnavailable = value;
    },
    /** While true, heartbeats that say that a claim only awaits readiness are not recorded. */
    refuseAwaiting: (value: boolean) => {
      refusesAwaiting = value;
    },
    endOf: (taskId: string): ReportedOutcome | undefined => ends.find(({ task_id }) => task_id === taskId),
    textOf: (taskId: string): string =>
      lines
        .filter(({ task_id }) => task_id === taskId)
        .map(({ text }) => text)
        .join('\n'),
  };
}

let names = 0;

/** A task that deploys the test's chart into a namespace of its own. */
export function taskOf(chart: ClaimedTask['chart'], fields: Partial<ClaimedTask> = {}): ClaimedTask {
  names += 1;
  return {
    task_id: randomUUID(),
    fence: 1,
    attempt: 1,
    lease_ms: 30_000,
    action: 'deploy',
    is_first: true,
    delete_namespace: false,
    deployment_id: randomUUID(),
    deployment_name: 'probe',
    kind: 'probe',
    cluster_id: '99999999-9999-4999-8999-999999999999',
    namespace: `probe-${process.pid}-${names}`,
    chart,
    values: {},
    secrets: {},
    confidential: [],
    call: null,
    restart: null,
    wait: { enabled: true, timeout_secs: 60 },
    traceparent: null,
    request_id: null,
    ...fields,
  };
}

/** What a plan of this task asks the runner for. */
export const dryRunOf = (task: ClaimedTask, fields: Partial<DryRun> = {}): DryRun => ({
  task_id: randomUUID(),
  fence: 7,
  action: 'deploy',
  deployment_id: task.deployment_id,
  cluster_id: task.cluster_id,
  namespace: task.namespace,
  chart: task.chart,
  values: task.values,
  secrets: {},
  confidential: [],
  within_ms: 25_000,
  ...fields,
});
