import type { ClusterReader, TaskCluster } from '../cluster/task-cluster.ts';
import { shownText } from '../log/shown-text.ts';
import { AccessRefused, permanent, TaskFailure } from '../outcome/task-failure.ts';
import type { Verdict } from '../rollout/check-objects.ts';
import { unreadyPods } from '../rollout/explain-pods.ts';
import { pauseOfChecks } from '../rollout/pause-of-checks.ts';
import type { AwaitedObjects } from '../rollout/read-awaited.ts';
import type { ReadTurn } from '../rollout/read-budget.ts';
import { explainWait, firstReadMs, pauseOfReports } from '../rollout/watch-waiting.ts';
import type { RunContext } from './run-context.ts';

export interface Awaiting {
  /** Begins the reason of a failure: `The release is deployed and`. */
  subject: string;
  /** When the wait began, by `Date.now()`: a runner that takes over does not wait any longer. */
  since: number;
  check(reader: ClusterReader): Promise<Verdict>;
  /** Reads what explains the wait. */
  readAwaited(reader: ClusterReader, signal: AbortSignal, failure?: string): Promise<AwaitedObjects>;
}

/**
 * Waits until the objects of a run are ready, without a slot. It only reads, so it can be left and continued at any point, by any
 * runner.
 */
export async function awaitReadiness(run: RunContext, cluster: TaskCluster, awaiting: Awaiting): Promise<void> {
  const { task, lease, log, secrets, stop, deps } = run;
  const words = (text: string) => shownText(text, secrets.texts());
  const timeoutMs = task.wait.timeout_secs * 1_000;
  const began = performance.now() - Math.min(Math.max(0, Date.now() - awaiting.since), timeoutMs);
  const waitedMs = () => performance.now() - began;
  run.slot.leave();
  // Its files hold credentials, which a wait does not need.
  await run.folder.remove().catch(() => undefined);

  let reader = cluster.reader(stop);
  using wait = explainWait({
    readAwaited: (signal, failure) => awaiting.readAwaited(reader, signal, failure),
    lease,
    words,
    stop,
  });
  const fail = async (says: string, when: string): Promise<never> => {
    for (const line of await unreadyPods(cluster.client, task.namespace)) log.say(line);
    throw await wait.explain(permanent(`${awaiting.subject} ${when}: ${words(says)}`));
  };

  let reportAt = began + firstReadMs;
  let lastAt = Number.NEGATIVE_INFINITY;
  let lastTookMs = 0;
  for (;;) {
    const pause = pauseOfChecks({ waitedMs: waitedMs(), lastTookMs });
    const pauseMs = Math.min(pause, Math.max(0, timeoutMs - waitedMs()));
    using turn = await deps.reads.turn({ cluster: task.cluster_id, pauseMs, lastAt }, stop);
    lastAt = performance.now();
    reader = counting(cluster.reader(stop), turn);
    let verdict = await tryTo(() => awaiting.check(reader), stop);
    if (verdict.is === 'ready') return;
    lease.awaitReadiness();
    if (verdict.is === 'failed' || lastAt >= reportAt) {
      await wait.report(stop, verdict.says);
      reportAt = performance.now() + pauseOfReports(waitedMs());
      // The verdict so far may be about pods that are being replaced.
      if (verdict.is !== 'unreadable') verdict = await tryTo(() => awaiting.check(reader), stop);
      if (verdict.is === 'ready') return;
    }
    stop.throwIfAborted();
    if (verdict.is === 'failed') await fail(verdict.says, 'will not become ready');
    if (waitedMs() >= timeoutMs) {
      if (verdict.is === 'unreadable') throw verdict.failure;
      await fail(verdict.says, `did not become ready within ${task.wait.timeout_secs} s`);
    }
    lastTookMs = performance.now() - lastAt;
  }
}

type Checked = Verdict | { is: 'unreadable'; says: string; failure: TaskFailure };

/** A cluster that does not answer is waited for as well, until the time is over. */
async function tryTo(check: () => Promise<Verdict>, stop: AbortSignal): Promise<Checked> {
  try {
    return await check();
  } catch (error) {
    stop.throwIfAborted();
    const mayPass = error instanceof TaskFailure && error.kind !== 'permanent' && !(error instanceof AccessRefused);
    if (!mayPass) throw error;
    return { is: 'unreadable', says: error.message, failure: error };
  }
}

/** Each request counts against the budget of all waits. */
function counting(reader: ClusterReader, turn: ReadTurn): ClusterReader {
  const counted = <Given extends unknown[], Answer>(read: (...given: Given) => Answer) => {
    return (...given: Given): Answer => {
      turn.spend();
      return read(...given);
    };
  };
  return {
    listSome: (namespace, list) => {
      turn.spend();
      return reader.listSome(namespace, list);
    },
    readWorkload: counted(reader.readWorkload),
    releaseRevisions: counted(reader.releaseRevisions),
    readSecret: counted(reader.readSecret),
    findKind: counted(reader.findKind),
    readObject: counted(reader.readObject),
  };
}
