import { explainExit } from '../helm/explain-exit.ts';
import type { HelmProcess } from '../helm/helm-starter.ts';
import { logTexts } from '../log/log-texts.ts';
import { checkFence } from '../namespace/namespace-fence.ts';
import type { TaskRun } from './task-run.ts';
import { TaskFailure, transient } from '../outcome/task-failure.ts';

const graceMs = 10_000;
/** Past the claim others may act: there is no time left to be gentle. */
const lostGraceMs = 2_000;
const keptErrorLines = 100;

/**
 * Helm's own limit holds for each thing it waits for, and not for a connection that swallows everything. This one ends
 * what should have ended long ago: hooks before, the wait, hooks after, and the rest.
 */
const limitMs = (timeoutSecs: number): number => 3 * timeoutSecs * 1_000 + 10 * 60_000;

/** Runs Helm to its end under the claim: its lines go to the log, its life ends with the claim. Throws what its failure means. */
export async function runHelm(title: string, args: readonly string[], context: TaskRun): Promise<void> {
  const { task, client, log, lease, folder, metrics, discoveryCache, stop } = context;
  // Everything that takes time is done: from here to the start nothing is waited for but these two. Whoever slept up to here,
  // with clocks that stood still, does not start a Helm beside that of the next runner.
  await checkFence(task, client);
  await lease.helmBegins();
  stop.throwIfAborted();
  if (lease.isLost()) throw transient('The claim of the task ran out before Helm was started');

  const errors: string[] = [];
  const helm = context.helm.start({
    args,
    folder: folder.path,
    discoveryCache,
    deadlineMs: lease.remainingMs(),
    onLine: (stream, line) => {
      log.line(stream, line);
      if (stream !== 'stderr') return;
      // The reason of a failure leaves the platform as the log does. What Helm says last is why it ended.
      errors.push(...logTexts(line, context.secrets()));
      if (errors.length > keptErrorLines) errors.splice(0, errors.length - keptErrorLines);
    },
  });
  metrics.helmRunning.inc();
  log.say(title);
  using stack = new DisposableStack();
  stack.use(lease.onRenewed((remainingMs) => helm.extend(remainingMs)));
  stack.use(endWith(helm, context));
  const limit = stack.use(endAfter(limitMs(task.wait.timeout_secs), helm));

  try {
    const exit = await helm.exited;
    if (exit.code === 0) return;
    if (limit.isOver())
      throw transient(`Helm was still not done after ${limitMs(task.wait.timeout_secs) / 60_000} min`);
    const { reason, kind } = explainExit(exit, errors);
    throw new TaskFailure(reason, { kind });
  } finally {
    metrics.helmRunning.dec();
  }
}

/** Helm ends with the run; at once with the claim, also where the run ended before. */
function endWith(helm: HelmProcess, { stop, lease: { lost } }: Pick<TaskRun, 'stop' | 'lease'>): Disposable {
  const end = () => helm.stop(graceMs);
  const endSoon = () => helm.stop(lostGraceMs);
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
