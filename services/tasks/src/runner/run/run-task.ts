import type { Bus } from '@berth/shared/bus/bus';
import type { ClaimedTask, RunnerAction } from '@berth/shared/contracts/resources/runner-tasks';
import { machineMs } from '@berth/process-guard/machine-clock';
import type { Service } from '@berth/shared/service/service';
import { inSpan, inTraceOf } from '@berth/shared/service/trace-context';
import type { HelmStarter } from '../helm/helm-starter.ts';
import type { ChartCache } from '../files/chart-cache.ts';
import { type ClaimLease, keepClaim } from '../claim/claim-lease.ts';
import { createClusterClient } from '../cluster/cluster-client.ts';
import type { AccessCache, ClusterHandle } from '../cluster/access-cache.ts';
import { deploy } from './deploy.ts';
import { type End, endOf } from '../outcome/outcome-of.ts';
import { knownSecrets } from '../log/known-secrets.ts';
import { repairRelease } from './repair-release.ts';
import type { RunnerMetrics } from './runner-metrics.ts';
import type { TaskRun } from './task-run.ts';
import { AccessRefused, transient } from '../outcome/task-failure.ts';
import { createTaskFolder, type TaskFolder } from '../files/task-folder.ts';
import { createTaskLog, type TaskLog } from '../log/task-log.ts';
import { reportOutcome } from '../claim/report-outcome.ts';
import { uninstall } from './uninstall.ts';
import { unlessStopped } from '../waiting/unless-stopped.ts';

export interface RunTaskDeps {
  bus: Pick<Bus, 'call' | 'hints'>;
  log: Service['log'];
  clusters: AccessCache;
  charts: ChartCache;
  metrics: RunnerMetrics;
  helm: HelmStarter;
  /** Below it: `tasks/` and `discovery/`. */
  folders: { tasks: string; discovery: string };
  /** Aborts when the runner stops: Helm is asked to end and the task is handed back. */
  stopping: AbortSignal;
}

/** Access lasts for the longest wait of Helm, and for what comes before and after it. */
const aroundHelmMs = 5 * 60_000;

/** How long the end may take to be told; a runner that is stopping has no time for it. */
const told = { logMs: 10_000, endMs: 60_000 };
const toldInHaste = { logMs: 1_000, endMs: 4_000 };

/** One line per action; an action without a run does not compile. */
const runs = { deploy, uninstall } satisfies Record<RunnerAction, (context: TaskRun) => Promise<void>>;

/** Runs one claimed task to its end and tells it, or tells nothing when the claim was lost on the way. Never throws. */
export const runTask = (task: ClaimedTask, claimedAt: number, deps: RunTaskDeps): Promise<void> =>
  inTraceOf(task.traceparent, `run ${task.action}`, async () => {
    const { task_id, deployment_id, request_id, fence } = task;
    const log = deps.log.child({ task_id, deployment_id, request_id, fence });
    const seconds = () => (machineMs() - claimedAt) / 1_000;
    using lease = keepClaim({ task, bus: deps.bus, claimedAt });
    const end = await attempt(task, lease, { ...deps, log });

    if (lease.isLost()) {
      deps.metrics.ended('Lost', task.action, seconds());
      return log.warn('claim lost: whoever has the task now will tell how it ended');
    }
    const { endMs } = deps.stopping.aborted ? toldInHaste : told;
    const heard = await inSpan('tell the end', () =>
      reportOutcome(task, end, { bus: deps.bus, lease, withinMs: endMs }),
    );
    deps.metrics.ended(end.outcome, task.action, seconds());
    if (heard) log.info({ outcome: end.outcome, ms: Math.round(seconds() * 1_000) }, 'task ended');
    else log.warn({ outcome: end.outcome }, 'the end of the task was not heard; its claim runs out');
  });

async function attempt(task: ClaimedTask, lease: ClaimLease, deps: RunTaskDeps): Promise<End> {
  const stop = AbortSignal.any([lease.lost, lease.canceled, deps.stopping]);
  let secrets = knownSecrets(task, []);
  const log = createTaskLog({ task, bus: deps.bus, secrets: () => secrets, lease });
  const run: Run = {
    task,
    lease,
    deps,
    log,
    stop,
    secrets: () => secrets,
    hide: (credentials) => {
      secrets = knownSecrets(task, credentials);
    },
  };
  if (task.attempt > 1) log.say(`attempt ${task.attempt}`);
  try {
    const end = await inFolder(run, (folder) => untilEnd(run, folder));
    if (end.reason) log.say(end.reason);
    return end;
  } finally {
    await log.close((deps.stopping.aborted ? toldInHaste : told).logMs);
  }
}

interface Run {
  task: ClaimedTask;
  lease: ClaimLease;
  deps: RunTaskDeps;
  log: TaskLog;
  stop: AbortSignal;
  secrets: () => readonly string[];
  /** From now on these do not show in the log. */
  hide: (credentials: readonly string[]) => void;
}

/** The folder holds credentials: that it could not be removed is told, and does not change how the task ended. */
async function inFolder({ deps }: Run, work: (folder: TaskFolder) => Promise<End>): Promise<End> {
  let folder: TaskFolder;
  try {
    folder = await createTaskFolder(deps.folders.tasks);
  } catch (error) {
    deps.log.error({ err: error }, 'no folder for a task');
    return { outcome: 'Retry', reason: 'The runner could not make a folder for the task; its disk may be full' };
  }
  try {
    return await work(folder);
  } finally {
    await folder.remove().catch((error: unknown) => {
      deps.log.error({ err: error, folder: folder.path }, 'the folder of a task is left behind');
    });
  }
}

async function untilEnd(run: Run, folder: TaskFolder): Promise<End> {
  try {
    // Access that was kept may have been withdrawn meanwhile; that is no failure of the task.
    await once(run, folder).catch((error: unknown) => {
      if (!(error instanceof AccessRefused) || run.stop.aborted) throw error;
      return once(run, folder);
    });
    return { outcome: 'Done', reason: null };
  } catch (error) {
    const end = endOf(error, { lease: run.lease, stopping: run.deps.stopping });
    if (end) return end;
    if (!run.lease.isLost()) run.deps.log.error({ err: error }, 'a task failed for a reason of ours');
    return { outcome: 'Retry', reason: 'Something went wrong on our side while the task ran' };
  }
}

async function once({ task, lease, deps, log, stop, secrets, hide }: Run, folder: TaskFolder): Promise<void> {
  const neededMs = task.wait.timeout_secs * 1_000 + aroundHelmMs;
  const cluster = await unlessStopped(deps.clusters.of(task, neededMs), stop);
  hide(cluster.credentials);
  const { charts, metrics, helm } = deps;
  const context: TaskRun = {
    task,
    lease,
    log,
    folder,
    kubeconfig: cluster.kubeconfig,
    client: clientOf(cluster, lease, stop),
    charts,
    metrics,
    helm,
    discoveryCache: `${deps.folders.discovery}/${task.cluster_id}`,
    secrets,
    stop,
  };
  try {
    await runs[task.action](context);
  } catch (error) {
    const end = endOf(error, { lease, stopping: deps.stopping });
    // Where the cluster moved or withdrew the access, the next attempt is given what holds then.
    if (end && end.outcome !== 'Failed') deps.clusters.forget(task.cluster_id, cluster);
    if (!deps.stopping.aborted && !lease.isLost()) await tidy(context, clientOf(cluster, lease, lease.lost), deps.log);
    throw error;
  }
}

/** A run that was cut short leaves a release from which the next task can go on. */
async function tidy(context: TaskRun, client: TaskRun['client'], log: Service['log']): Promise<void> {
  if (context.task.action !== 'deploy') return;
  await repairRelease({ task: context.task, client }).catch((error: unknown) => {
    log.debug({ err: error }, 'the release was left as it is');
  });
}

const clientOf = ({ api }: ClusterHandle, lease: ClaimLease, signal: AbortSignal) =>
  createClusterClient({
    api,
    signal,
    beforeWrite: () => {
      signal.throwIfAborted();
      if (lease.isLost()) throw transient('The claim of the task ran out');
    },
  });
