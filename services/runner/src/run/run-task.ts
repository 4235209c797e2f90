import { machineMs } from '@berth/process-guard/machine-clock';
import type { ClaimedTask, RunnerAction } from '@berth/contracts/resources/tasks/runner-tasks';
import { inSpan, inTraceOf } from '@berth/service/trace-context';
import { internalError } from '@berth/contracts/resources/tasks/internal-error';
import { keepClaim } from '../claim/claim-lease.ts';
import { reportOutcome } from '../claim/report-outcome.ts';
import { invoke } from '../calls/invoke.ts';
import { taskCluster } from '../cluster/task-cluster.ts';
import type { Entered } from '../cluster/cluster-entry.ts';
import { enterNamespace } from '../namespace/enter-namespace.ts';
import { redact } from '../log/redact.ts';
import { type Outcome, outcomeOf } from '../outcome/outcome-of.ts';
import { AccessRefused, TaskFailure } from '../outcome/task-failure.ts';
import { untilAborted } from '@berth/service/waiting/until-aborted';
import { deploy } from './deploy.ts';
import { repairRelease } from './repair-release.ts';
import { restart } from './restart.ts';
import { type EnteredCluster, type Entering, newRunContext, type RunContext, type RunnerDeps } from './run-context.ts';
import { uninstall } from './uninstall.ts';

type InCluster = (run: RunContext, entering: Entering) => Promise<void>;

const inCluster =
  (action: InCluster) =>
  (run: RunContext): Promise<void> =>
    withAccess(run, action);

/** One line per action; an action without a function does not compile. */
const actions = {
  deploy: inCluster(deploy),
  uninstall: inCluster(uninstall),
  restart: inCluster(restart),
  invoke,
} satisfies Record<RunnerAction, (run: RunContext) => Promise<void>>;

const patience = { logMs: 10_000, outcomeMs: 60_000 };
const patienceWhileStopping = { logMs: 1_000, outcomeMs: 4_000 };

export interface ClaimedRun {
  task: ClaimedTask;
  claimedAt: number;
  /** The run goes on, but no longer needs its slot. */
  leaveSlot: () => void;
}

/**
 * Runs one claimed task: keeps its claim, acts on the cluster, delivers the log and reports the outcome. Reports nothing once
 * the claim is lost. Never throws.
 */
export const runTask = ({ task, claimedAt, leaveSlot }: ClaimedRun, deps: RunnerDeps): Promise<void> =>
  inTraceOf(task.traceparent, `run ${task.action}`, async () => {
    using lease = keepClaim({ task, bus: deps.bus, claimedAt });
    const run = await newRunContext({ task, lease, leaveSlot }, deps);

    const outcome = await act(run);
    await run.log.close(patienceOf(run).logMs);
    await report(run, outcome, () => (machineMs() - claimedAt) / 1_000);
  });

const patienceOf = ({ deps }: RunContext) => (deps.stopping.aborted ? patienceWhileStopping : patience);

async function act(run: RunContext): Promise<Outcome> {
  const { task, log, folder, runnerLog } = run;
  if (task.attempt > 1) log.say(`attempt ${task.attempt}`);
  let outcome: Outcome = { outcome: 'Done', reason: null };
  let toLog: string | null = null;
  try {
    await actions[task.action](run);
  } catch (error) {
    const failed = outcomeOfFailure(error, run);
    toLog = error instanceof TaskFailure && failed.reason === error.message ? error.toLog : failed.reason;
    // Words of Berth may name a cluster that the readers of the task do not see.
    outcome = { ...failed, reason: failed.reason && redact(failed.reason, run.secrets.texts()) };
  }
  await folder.remove().catch((error: unknown) => {
    runnerLog.error({ err: error, folder: folder.path }, 'the folder of a task was not removed; it holds credentials');
  });
  if (toLog) log.say(toLog);
  return outcome;
}

/** The account may have been recreated meanwhile; the action then starts again with new access. */
async function withAccess(run: RunContext, action: InCluster): Promise<void> {
  await withAccessOnce(run, action).catch((error: unknown) => {
    if (!(error instanceof AccessRefused) || run.stop.aborted) throw error;
    return withAccessOnce(run, action);
  });
}

async function withAccessOnce(run: RunContext, action: InCluster): Promise<void> {
  const { lease, secrets, stop, deps } = run;
  let entered: Entered | undefined;
  const enter = async (): Entering => {
    entered = await untilAborted(enterNamespace(run), stop);
    const { access } = entered;
    if (access) secrets.add(access.credentials);
    const cluster = access && taskCluster(access, { lease, signal: stop });
    return { ...entered, cluster } satisfies EnteredCluster;
  };
  const entering = enter();
  entering.catch(() => undefined);
  try {
    await action(run, entering);
  } catch (error) {
    if (!deps.stopping.aborted && !lease.isLost()) await leaveRepaired(run, entered);
    throw error;
  }
}

/** Best effort: repairs the release of an interrupted deploy, so that the next task can continue from it. */
async function leaveRepaired({ task, lease, runnerLog }: RunContext, entered: Entered | undefined): Promise<void> {
  if (task.action !== 'deploy' || !entered?.access) return;
  const { client } = taskCluster(entered.access, { lease, signal: lease.lost });
  await repairRelease(task, client).catch((error: unknown) => {
    runnerLog.debug({ err: error }, 'the release was not repaired');
  });
}

function outcomeOfFailure(error: unknown, { lease, deps, helm, runnerLog }: RunContext): Outcome {
  const outcome = outcomeOf(error, { lease, stopping: deps.stopping });
  if (outcome?.outcome === 'HandedBack' && helm.hasEnded) return { ...outcome, helm_ended: true };
  if (outcome) return outcome;
  if (!lease.isLost()) runnerLog.error({ err: error }, 'a task failed because of a bug');
  return { outcome: 'Retry', reason: internalError.inTask };
}

async function report(run: RunContext, outcome: Outcome, seconds: () => number): Promise<void> {
  const { task, lease, runnerLog, deps } = run;
  if (lease.isLost()) {
    deps.metrics.ended('Lost', task.action, seconds());
    return runnerLog.warn('claim lost; the runner that holds the task now reports its outcome');
  }
  const recorded = await inSpan('report outcome', () =>
    reportOutcome(task, outcome, { bus: deps.bus, lease, withinMs: patienceOf(run).outcomeMs }),
  );
  deps.metrics.ended(outcome.outcome, task.action, seconds());
  if (recorded) runnerLog.info({ outcome: outcome.outcome, ms: Math.round(seconds() * 1_000) }, 'task ended');
  else runnerLog.warn({ outcome: outcome.outcome }, 'the outcome of the task was not recorded; its claim expires');
}
