import type { Bus } from '@berth/shared/bus/bus';
import { type ClaimedTask, runnerTasks } from '@berth/shared/contracts/runner-tasks';
import { AppError } from '@berth/shared/errors';
import { createWakeUp } from '@berth/shared/service/wake-up';

const heartbeatMs = 5_000;
const retryMs = 1_000;
/** The share of the lease after which the claim is given up: 20 of its 30 s, well before others may take it. */
const safeShare = 2 / 3;

export interface ClaimLeaseDeps {
  task: Pick<ClaimedTask, 'task_id' | 'fence' | 'lease_ms'>;
  bus: Pick<Bus, 'call' | 'hints'>;
  /** `performance.now()` before the claim was asked for. */
  claimedAt: number;
}

/** A claim that is kept alive by heartbeats. Its clock is this process's own and monotonic. */
export interface ClaimLease extends Disposable {
  /** Aborts when the claim is, or may be, somebody else's. Nothing may be written after it. */
  readonly lost: AbortSignal;
  /** Aborts when somebody asked to cancel the task. */
  readonly canceled: AbortSignal;
  /** Milliseconds for which it is certain that nobody else has the task. */
  remainingMs(): number;
  /** Told whenever the claim was renewed; the guard's deadline for Helm moves with it. */
  onRenewed(listener: (remainingMs: number) => void): void;
}

export function keepClaim({ task, bus, claimedAt }: ClaimLeaseDeps): ClaimLease {
  const lost = new AbortController();
  const canceled = new AbortController();
  const closed = new AbortController();
  const { wake, wait } = createWakeUp(closed.signal);
  const listeners: ((remainingMs: number) => void)[] = [];
  let deadline = claimedAt + task.lease_ms * safeShare;

  const remainingMs = () => Math.max(0, deadline - performance.now());

  async function beat(): Promise<'renewed' | 'lost' | 'no answer'> {
    const sentAt = performance.now();
    const { task_id, fence } = task;
    try {
      const answer = await bus.call(
        runnerTasks.operations.heartbeat,
        { body: { task_id, fence } },
        { deadlineMs: 2_000 },
      );
      deadline = sentAt + answer.lease_ms * safeShare;
      for (const listener of listeners) listener(remainingMs());
      if (answer.cancel_requested) canceled.abort();
      return 'renewed';
    } catch (error) {
      return error instanceof AppError && (error.code === 'conflict' || error.code === 'not_found')
        ? 'lost'
        : 'no answer';
    }
  }

  async function keep(): Promise<void> {
    let pause = Math.min(heartbeatMs, task.lease_ms / 6);
    while (!closed.signal.aborted) {
      await wait(Math.min(pause, remainingMs()));
      if (closed.signal.aborted) return;
      // After a pause of the whole process the deadline is over before anything else is done.
      if (remainingMs() === 0) return lost.abort();
      const outcome = await beat();
      if (outcome === 'lost' || remainingMs() === 0) return lost.abort();
      pause = outcome === 'renewed' ? Math.min(heartbeatMs, task.lease_ms / 6) : retryMs;
    }
  }

  bus.hints.listen('task_cancel', wake, { key: task.task_id, signal: closed.signal });
  void keep();

  return {
    lost: lost.signal,
    canceled: canceled.signal,
    remainingMs,
    onRenewed: (listener) => void listeners.push(listener),
    [Symbol.dispose]: () => closed.abort(),
  };
}
