import { setTimeout as delay } from 'node:timers/promises';
import type { Bus } from '@berth/shared/bus/bus';
import { type ClaimedTask, runnerTasks } from '@berth/shared/contracts/resources/runner-tasks';
import { AppError } from '@berth/shared/errors';
import { machineMs } from '@berth/process-guard/machine-clock';
import { createWakeUp } from '@berth/shared/waiting/wake-up';
import { transient, unreachable } from '../outcome/task-failure.ts';

const heartbeatMs = 5_000;
const answerWithinMs = 2_000;
const retryMs = 1_000;
const beginTries = 3;
/** Soon: the task may have been canceled before anybody listened for the hint. */
const firstHeartbeatMs = 1_000;
/** The share of the lease after which the claim is given up: 20 of its 30 s, well before others may take it. */
const safeShare = 2 / 3;

export interface ClaimLeaseDeps {
  task: Pick<ClaimedTask, 'task_id' | 'fence' | 'lease_ms'>;
  bus: Pick<Bus, 'call' | 'hints'>;
  /** `machineMs()` before the claim was asked for. */
  claimedAt: number;
}

/** A claim that is kept alive by heartbeats. Its clock is the machine's own, which nobody sets. */
export interface ClaimLease extends Disposable {
  /** Aborts when the claim is, or may be, somebody else's. Nothing may be written after it. */
  readonly lost: AbortSignal;
  /** Aborts when somebody asked to cancel the task. */
  readonly canceled: AbortSignal;
  /** Milliseconds for which it is certain that nobody else has the task. */
  remainingMs(): number;
  /**
   * Whether the claim is over, by the clock: a process that was paused may come to other work before the timer which
   * aborts `lost`. Then this aborts it.
   */
  isLost(): boolean;
  /** Asks the owner whether the claim still is ours; throws where it is not, or where nobody answers. */
  confirm(): Promise<void>;
  /**
   * Says that Helm starts now; throws where the claim is not ours any more, or where nobody answers. Only after it the attempt
   * counts, so it comes before Helm and after everything that can fail without it.
   */
  helmBegins(): Promise<void>;
  /** Told whenever the claim was renewed, until disposed of; the guard's deadline for Helm moves with it. */
  onRenewed(listener: (remainingMs: number) => void): Disposable;
}

export function keepClaim({ task, bus, claimedAt }: ClaimLeaseDeps): ClaimLease {
  const { task_id, fence } = task;
  const lost = new AbortController();
  const canceled = new AbortController();
  const closed = new AbortController();
  const { wake, wait } = createWakeUp(closed.signal);
  const listeners = new Set<(remainingMs: number) => void>();
  const pauseMs = Math.min(heartbeatMs, task.lease_ms / 6);
  let deadline = claimedAt + task.lease_ms * safeShare;

  const remainingMs = () => Math.max(0, deadline - machineMs());

  function isLost(): boolean {
    if (remainingMs() === 0 && !closed.signal.aborted) lost.abort();
    return lost.signal.aborted;
  }

  async function beat(helm_begins = false): Promise<boolean> {
    const sentAt = machineMs();
    try {
      const deadlineMs = Math.min(answerWithinMs, remainingMs());
      const answer = await bus.call(
        runnerTasks.operations.heartbeat,
        { body: { task_id, fence, helm_begins } },
        { deadlineMs },
      );
      if (isLost()) return false;
      deadline = Math.max(deadline, sentAt + answer.lease_ms * safeShare);
      if (answer.cancel_requested) canceled.abort();
    } catch (error) {
      if (error instanceof AppError && (error.code === 'conflict' || error.code === 'not_found')) lost.abort();
      return false;
    }
    for (const listener of listeners) listener(remainingMs());
    return true;
  }

  async function keep(): Promise<void> {
    let pause = Math.min(firstHeartbeatMs, pauseMs);
    while (!closed.signal.aborted) {
      await wait(Math.min(pause, remainingMs()));
      if (closed.signal.aborted || isLost()) return;
      const renewed = await beat();
      pause = renewed ? pauseMs : Math.min(retryMs, pauseMs);
    }
  }

  bus.hints.listen('task_cancel', wake, { key: task_id, signal: closed.signal });
  // A listener that throws would end it; without heartbeats the claim is as good as lost.
  keep().catch(() => lost.abort());

  return {
    lost: lost.signal,
    canceled: canceled.signal,
    remainingMs,
    isLost,
    async confirm() {
      if (!(await beat())) throw unreachable('The claim of the task could not be confirmed');
    },
    async helmBegins() {
      for (let tries = 0; tries < beginTries && !isLost(); tries += 1) {
        // An answer that was lost may have counted the attempt already; a repeat counts nothing.
        if (await beat(true)) return;
        await delay(retryMs, undefined, { signal: lost.signal }).catch(() => undefined);
      }
      throw isLost()
        ? transient('The claim of the task ran out before Helm was started')
        : unreachable(
            'The claim of the task could not be confirmed before Helm was started: the service tasks does not answer',
          );
    },
    onRenewed(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    [Symbol.dispose]: () => closed.abort(),
  };
}
