import { setTimeout as delay } from 'node:timers/promises';
import type { Bus } from '@berth/shared/bus/bus';
import {
  type ClaimedTask,
  type RunnerAction,
  runnerTasks,
  type TaskOutcome,
} from '@berth/shared/contracts/runner-tasks';
import { AppError } from '@berth/shared/errors';
import type { ProcessGuard } from '@berth/shared/process-guard/process-guard';
import type { Service } from '@berth/shared/service/service';
import type { ChartCache } from './chart-cache.ts';
import { type ClaimLease, keepClaim } from './claim-lease.ts';
import type { ClusterClients } from './cluster-clients.ts';
import { deploy, repair } from './deploy.ts';
import type { TaskContext } from './task-context.ts';
import { TaskFailure } from './task-failure.ts';
import { createTaskFolder } from './task-folder.ts';
import { createTaskLog } from './task-log.ts';
import { uninstall } from './uninstall.ts';

export interface RunTaskDeps {
  bus: Pick<Bus, 'call' | 'hints'>;
  log: Service['log'];
  clusters: ClusterClients;
  charts: ChartCache;
  guard: ProcessGuard;
  helmBinary: string;
  /** Below it: `tasks/` and `discovery/`. */
  folders: { tasks: string; discovery: string };
  /** Aborts when the runner stops: Helm is asked to end and the task is handed back. */
  stopping: AbortSignal;
}

interface End {
  outcome: TaskOutcome;
  reason: string | null;
}

/** One line per action; an action without a run does not compile. */
const runs = { deploy, uninstall } satisfies Record<RunnerAction, (context: TaskContext) => Promise<void>>;

/** Runs one claimed task to its end and tells it, or tells nothing when the claim was lost on the way. Never throws. */
export async function runTask(task: ClaimedTask, claimedAt: number, deps: RunTaskDeps): Promise<void> {
  const log = deps.log.child({
    taskId: task.task_id,
    deploymentId: task.deployment_id,
    requestId: task.request_id,
    fence: task.fence,
  });
  using lease = keepClaim({ task, bus: deps.bus, claimedAt });
  const started = performance.now();
  const end = await attempt(task, lease, deps).catch((error: unknown): End => {
    log.error({ err: error }, 'a task failed for a reason of ours');
    return { outcome: 'Retry', reason: 'Something went wrong on our side while the task ran' };
  });

  if (lease.lost.aborted) return log.warn('claim lost: whoever has the task now will tell how it ended');
  await report(task, end, { bus: deps.bus, lease });
  log.info({ outcome: end.outcome, ms: Math.round(performance.now() - started) }, 'task ended');
}

async function attempt(task: ClaimedTask, lease: ClaimLease, deps: RunTaskDeps): Promise<End> {
  const stop = AbortSignal.any([lease.lost, lease.canceled, deps.stopping]);
  const secrets = secretTexts(task);
  const log = createTaskLog({ task, bus: deps.bus, secrets, lost: lease.lost });
  if (task.attempt > 1) log.say(`attempt ${task.attempt}`);
  try {
    await using folder = await createTaskFolder(deps.folders.tasks);
    const cluster = await deps.clusters.of(task.cluster_id);
    secrets.push(...credentialsIn(cluster.kubeconfig));
    const context: TaskContext = {
      task,
      lease,
      log,
      folder,
      cluster,
      charts: deps.charts,
      guard: deps.guard,
      helmBinary: deps.helmBinary,
      discoveryCache: `${deps.folders.discovery}/${task.cluster_id}`,
      stop,
    };
    const end = await runs[task.action](context).then(
      (): End => ({ outcome: 'Done', reason: null }),
      (error: unknown) => endOf(error, { lease, stopping: deps.stopping }),
    );
    // A run that was cut short leaves a release from which the next task can go on.
    if (end.outcome === 'Canceled') await repair(context).catch(() => undefined);
    if (end.outcome === 'Failed' || end.outcome === 'Retry') deps.clusters.forget(task.cluster_id);
    if (end.reason) log.say(end.reason);
    return end;
  } catch (error) {
    return endOf(error, { lease, stopping: deps.stopping });
  } finally {
    await log.flush();
  }
}

/** What ended the run decides before what the run said: a Helm that was told to end fails with any words. */
function endOf(error: unknown, { lease, stopping }: { lease: ClaimLease; stopping: AbortSignal }): End {
  if (lease.canceled.aborted) return { outcome: 'Canceled', reason: null };
  if (stopping.aborted) return { outcome: 'Retry', reason: 'The runner was stopped; another one goes on' };
  if (error instanceof TaskFailure) return { outcome: error.transient ? 'Retry' : 'Failed', reason: error.message };
  if (error instanceof AppError)
    return { outcome: isPassing(error) ? 'Retry' : 'Failed', reason: error.message.slice(0, 500) };
  throw error;
}

const isPassing = ({ code }: AppError): boolean => code === 'unavailable' || code === 'timeout' || code === 'internal';

/** Tells the end until it is heard, for as long as the claim lasts; after that the release itself tells the next runner. */
async function report(
  task: ClaimedTask,
  { outcome, reason }: End,
  { bus, lease }: { bus: Pick<Bus, 'call'>; lease: ClaimLease },
) {
  const body = { task_id: task.task_id, fence: task.fence, outcome, reason: reason?.slice(0, 500) ?? null };
  while (!lease.lost.aborted) {
    try {
      await bus.call(runnerTasks.operations.finish, { body }, { requestId: task.request_id ?? undefined });
      return;
    } catch (error) {
      if (error instanceof AppError && error.code === 'conflict') return;
      await delay(500, undefined, { signal: lease.lost }).catch(() => undefined);
    }
  }
}

/** Short ones are left out: hiding every `1` or `true` would hide the log. */
const secretTexts = ({ secrets }: ClaimedTask): string[] =>
  Object.values(secrets)
    .flatMap((entries) => Object.values(entries))
    .filter(({ length }) => length >= 6);

/** The token in a kubeconfig of ours, so that no line of the log ever shows it. */
function credentialsIn(kubeconfig: string): string[] {
  return [...kubeconfig.matchAll(/token"?:\s*"?([^\s"]{8,})/g)].flatMap(([, token]) => (token ? [token] : []));
}
