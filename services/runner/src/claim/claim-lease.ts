import type { Bus } from '@berth/bus/bus';
import { type ClaimedTask, runnerTasks } from '@berth/contracts/resources/tasks/runner-tasks';
import { AppError } from '@berth/contracts/errors';
import { machineMs } from '@berth/process-guard/machine-clock';
import { createWakeUp } from '@berth/service/waiting/wake-up';
import { pause } from '@berth/service/waiting/pause';
import { heartbeatPause, remainingOf, renewedUntil, safeUntil } from './lease-time.ts';
import { transient, unreachable } from '../outcome/task-failure.ts';

const answerWithinMs = 2_000;
const retryMs = 1_000;
const beginTries = 3;

export interface ClaimLeaseDeps {
  task: Pick<ClaimedTask, 'task_id' | 'fence' | 'lease_ms'>;
  bus: Pick<Bus, 'call' | 'hints'>;
  /** The value of `machineMs()` before the claim was requested. */
  claimedAt: number;
}

/** A claim that heartbeats keep alive, by the machine's boot-time clock, which cannot be set. */
export interface ClaimLease extends Disposable {
  /** Aborts when the claim belongs, or may belong, to another runner. Nothing may be written after it. */
  readonly lost: AbortSignal;
  /** Aborts when the cancellation of the task was requested. */
  readonly canceled: AbortSignal;
  /** Milliseconds for which no other runner can have the task. */
  remainingMs(): number;
  /**
   * Whether the claim is over, by the clock. In a process that was paused, other code may run before the timer that aborts
   * `lost`; this call aborts it.
   */
  isLost(): boolean;
  /** Renews the lease; throws when the claim is over or the service does not answer. */
  confirm(): Promise<void>;
  /**
   * Renews the lease and counts the attempt, right before Helm starts: after everything that can fail without Helm. Throws when
   * the claim is over or the service does not answer.
   */
  beginAttempt(): Promise<void>;
  /** Reports what the run waits for, by a heartbeat at once and by later ones. */
  waitsFor(text: string | null): void;
  /** Says that Helm has ended and the run only waits until the objects of its release are ready: it no longer counts as working. */
  awaitReadiness(): void;
  /** Calls the listener at each renewal until disposed of; the guard's deadline for Helm moves with it. */
  onRenewed(listener: (remainingMs: number) => void): Disposable;
}

/** The service says that the claim is no longer the latest one. */
const isOver = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'conflict' || error.code === 'not_found');

export function keepClaim({ task, bus, claimedAt }: ClaimLeaseDeps): ClaimLease {
  const { task_id, fence } = task;
  const lost = new AbortController();
  const canceled = new AbortController();
  const closed = new AbortController();
  const { wake, wait } = createWakeUp(closed.signal);
  const listeners = new Set<(remainingMs: number) => void>();
  let deadline = safeUntil(claimedAt, task.lease_ms);
  let waits_for: string | null = null;
  let awaits = false;
  /** Whether the service knows these fields; that of the previous version may not. */
  const knows = { waits_for: true, awaits: true };

  const remainingMs = () => remainingOf(deadline, machineMs());

  function isLost(): boolean {
    if (remainingMs() === 0 && !closed.signal.aborted) lost.abort();
    return lost.signal.aborted;
  }

  async function renew(helm_begins = false): Promise<boolean> {
    const sentAt = machineMs();
    try {
      const deadlineMs = Math.min(answerWithinMs, remainingMs());
      const answer = await bus.call(
        runnerTasks.operations.heartbeat,
        {
          body: {
            task_id,
            fence,
            helm_begins,
            ...(waits_for !== null && { waits_for }),
            ...(awaits && knows.awaits && { awaits: 'readiness' as const }),
          },
        },
        { deadlineMs },
      );
      if (isLost()) return false;
      deadline = renewedUntil(deadline, sentAt, answer.lease_ms);
      if (answer.cancel_requested) canceled.abort();
    } catch (error) {
      if (isOver(error)) lost.abort();
      if (error instanceof AppError && error.code === 'invalid') sayLess();
      return false;
    }
    for (const listener of listeners) listener(remainingMs());
    return true;
  }

  /** The next try leaves out the newest field of a heartbeat that was refused. */
  function sayLess(): void {
    if (awaits && knows.awaits) knows.awaits = false;
    else {
      knows.waits_for = false;
      waits_for = null;
    }
  }

  async function keepRenewing(): Promise<void> {
    let renewed: boolean | null = null;
    while (!closed.signal.aborted) {
      await wait(Math.min(heartbeatPause(task.lease_ms, { renewed, awaits }), remainingMs()));
      if (closed.signal.aborted || isLost()) return;
      renewed = await renew();
    }
  }

  bus.hints.listen('task_cancel', wake, { key: task_id, signal: closed.signal });
  // A listener that throws would end the heartbeats, and the claim with them.
  keepRenewing().catch(() => lost.abort());

  return {
    lost: lost.signal,
    canceled: canceled.signal,
    remainingMs,
    isLost,
    async confirm() {
      if (!(await renew())) throw unreachable('The claim of the task could not be confirmed');
    },
    async beginAttempt() {
      for (let tries = 0; tries < beginTries && !isLost(); tries += 1) {
        // An unanswered try may have counted the attempt; a repeat does not count it again.
        if (await renew(true)) return;
        await pause(retryMs, lost.signal);
      }
      throw isLost()
        ? transient('The claim of the task expired before Helm was started')
        : unreachable(
            'The claim of the task could not be confirmed before Helm was started: the service tasks does not answer',
          );
    },
    waitsFor(text) {
      if (text === waits_for || !knows.waits_for) return;
      waits_for = text;
      if (text !== null) wake();
    },
    awaitReadiness() {
      if (awaits) return;
      awaits = true;
      wake();
    },
    onRenewed(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    [Symbol.dispose]: () => closed.abort(),
  };
}
