import { explainExit } from '../helm/explain-exit.ts';
import { startHelm } from '../helm/helm-cli.ts';
import type { TaskContext } from './task-context.ts';
import { TaskFailure } from './task-failure.ts';

const graceMs = 10_000;
/** Past the claim others may act: there is no time left to be gentle. */
const lostGraceMs = 2_000;
const keptErrorLines = 100;

/** Runs Helm to its end under the claim: its lines go to the log, its life ends with the claim. Throws what its failure means. */
export async function runHelm(title: string, args: readonly string[], context: TaskContext): Promise<void> {
  const { log, lease, folder, guard, helmBinary, discoveryCache, stop } = context;
  stop.throwIfAborted();

  const errors: string[] = [];
  const helm = startHelm({
    binary: helmBinary,
    args,
    folder: folder.path,
    discoveryCache,
    guard,
    deadlineMs: lease.remainingMs(),
    onLine: (stream, line) => {
      log.line(stream, line);
      if (stream === 'stderr' && errors.length < keptErrorLines) errors.push(line);
    },
  });
  log.say(title);
  lease.onRenewed((remainingMs) => helm.extend(remainingMs));
  const end = () => helm.stop(lease.lost.aborted ? lostGraceMs : graceMs);
  stop.addEventListener('abort', end, { once: true });
  if (stop.aborted) end();

  try {
    const exit = await helm.exited;
    if (exit.code === 0) return;
    const { reason, transient } = explainExit(exit, errors);
    throw new TaskFailure(reason, { transient });
  } finally {
    stop.removeEventListener('abort', end);
  }
}
