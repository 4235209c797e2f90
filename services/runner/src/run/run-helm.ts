import type { TaskCluster } from '../cluster/task-cluster.ts';
import { createErrorLines } from '../helm/error-lines.ts';
import { failureOf } from '../helm/explain-exit.ts';
import { longestMs } from '../helm/helm-limits.ts';
import type { OnRendered } from '../helm/hand-over.ts';
import type { HelmProcess } from '../helm/helm-process.ts';
import { logTexts } from '../log/log-texts.ts';
import { checkFence } from '../namespace/namespace-fence.ts';
import { transient } from '../outcome/task-failure.ts';
import { allEnded } from '../waiting/all-ended.ts';
import type { RunContext } from './run-context.ts';

const done = Promise.resolve();
const graceMs = 10_000;
/** After the loss of the claim others may act, so there is little time for a graceful end. */
const graceAfterLossMs = 2_000;

/** A host name is redacted as a credential; Helm also prints what it resolves to. */
const addresses = /\b\d{1,3}(?:\.\d{1,3}){3}\b|\[[\da-f:]{2,45}\]/gi;

export interface HelmCommand {
  /** The line for the task's log. */
  title: string;
  args: readonly string[];
  /** A read of the cluster that runs together with the check of the fence. */
  lastRead?: (() => Promise<void>) | undefined;
  /** Throws if the rendered manifests must not be applied. */
  check?: OnRendered;
}

/** Runs Helm, and ends it if the claim is lost. Output goes to the log. Throws a `TaskFailure` that explains a failed exit. */
export async function runHelm(
  run: RunContext,
  { client, isOfOtherEnv }: TaskCluster,
  { title, args, lastRead, check }: HelmCommand,
): Promise<void> {
  const { task, log, lease, folder, stop, deps } = run;
  // Everything slow is done: only these two calls precede the start. So a runner that was suspended together with its clocks
  // does not start Helm while the next runner's Helm runs.
  await allEnded([lastRead?.() ?? done, checkFence(task, client)]);
  await lease.beginAttempt();
  stop.throwIfAborted();
  if (lease.isLost()) throw transient('The claim of the task expired before Helm was started');

  // The reason of a failure is as public as the log.
  const errors = createErrorLines((line) => logTexts(line, run.secrets.texts()));
  const helm = deps.helm.start({
    args,
    folder: folder.path,
    discoveryCache: `${deps.folders.discovery}/${task.cluster_id}`,
    deadlineMs: lease.remainingMs(),
    waitSecs: task.wait.timeout_secs,
    ...(check && { onRendered: check }),
    onLine: (stream, printed) => {
      const line = isOfOtherEnv ? printed.replaceAll(addresses, '***') : printed;
      // After a refusal Helm only reports that it got nothing back.
      if (helm.refusal() !== undefined) return;
      if (stream === 'stdout' || errors.add(line)) log.line(stream, line);
    },
    onSkipped: (stream, bytes) => log.say(`… ${bytes} bytes of ${stream} are left out`),
  });
  deps.metrics.helmRunning.inc();
  log.say(title);
  using stack = new DisposableStack();
  stack.use(lease.onRenewed((remainingMs) => helm.extend(remainingMs)));
  stack.use(endWith(helm, run));
  const limit = stack.use(endAfter(longestMs(task.wait.timeout_secs), helm));

  try {
    const exit = await helm.exited;
    if (exit.code === 0) return;
    if (helm.refusal() !== undefined) throw helm.refusal();
    if (limit.isOver()) {
      throw transient(`Helm had not finished after ${longestMs(task.wait.timeout_secs) / 60_000} minutes`);
    }
    throw failureOf(exit, errors, { limits: helm.limits, namespace: task.namespace, isRepeated: task.attempt > 1 });
  } finally {
    deps.metrics.helmRunning.dec();
  }
}

/** Helm ends with the run, and within a shorter grace period when the claim is lost, even during an earlier one. */
function endWith(helm: HelmProcess, { stop, lease: { lost } }: Pick<RunContext, 'stop' | 'lease'>): Disposable {
  const end = () => helm.stop(graceMs);
  const endSoon = () => helm.stop(graceAfterLossMs);
  stop.addEventListener('abort', end);
  lost.addEventListener('abort', endSoon);
  if (stop.aborted) end();
  return {
    [Symbol.dispose]() {
      stop.removeEventListener('abort', end);
      lost.removeEventListener('abort', endSoon);
    },
  };
}

function endAfter(ms: number, helm: HelmProcess): Disposable & { isOver(): boolean } {
  let over = false;
  const timer = setTimeout(() => {
    over = true;
    helm.stop(graceMs);
  }, ms);
  return { isOver: () => over, [Symbol.dispose]: () => clearTimeout(timer) };
}
