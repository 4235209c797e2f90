import { currentDeadline } from '@berth/service/waiting/deadline';
import { slots } from '@berth/service/waiting/slots';
import { withinMs } from '@berth/service/waiting/within-ms';

export interface ConnectionQueueOptions {
  /** The number of connections in use at the same time. */
  max: number;
  mostWaiting: number;
  /** How long work without a deadline waits, and any work while the server does not answer. */
  patienceMs: number;
  /** Time that work needs between getting a connection and its deadline. */
  reserveMs: number;
  refusal: () => Error;
}

export interface ConnectionQueue {
  /** Resolves when the caller may take a connection; throws the refusal if that would be too late. */
  enter(): Promise<void>;
  /** Waits for a new connection by the same rule; undefined if that would be too late. */
  wait<T extends object | true>(promise: Promise<T>): Promise<T | undefined>;
  /** A connection received an answer from the server. */
  answered(): void;
  /** Lets the next caller take a connection. */
  leave(): void;
}

/**
 * Callers waiting for a connection, ordered by the time at which waiting becomes useless: a heartbeat with two seconds left goes
 * before a change with five. While the server answers, work waits as long as its deadline allows, so a crowd is served one after
 * the other. If the server hangs, work is refused soon. Freed connections do not show whether it answers: with five hundred
 * concurrent requests, one turn takes so long that every transaction of several statements would exceed the patience.
 */
export function connectionQueue(options: ConnectionQueueOptions): ConnectionQueue {
  const { max, mostWaiting, patienceMs, reserveMs, refusal } = options;
  const connections = slots(max);
  let answeredAt = Number.NEGATIVE_INFINITY;

  async function wait<T extends object | true>(promise: Promise<T>): Promise<T | undefined> {
    const startedAt = performance.now();
    const giveUpAt = () => Math.min(leaveByOf(startedAt), Math.max(startedAt, answeredAt) + patienceMs);
    for (let left = patienceMs; left > 0; left = giveUpAt() - performance.now()) {
      const result = await withinMs(left, promise);
      if (result !== undefined) return result;
    }
    return undefined;
  }

  /** The time at which waiting that started at `since` becomes useless. */
  const leaveByOf = (startedAt: number): number =>
    Math.max(startedAt + patienceMs, (currentDeadline() ?? 0) - reserveMs);

  return {
    async enter() {
      if (connections.take()) return;
      if (connections.length() >= mostWaiting) throw refusal();
      const { turn, giveUp } = connections.wait(leaveByOf(performance.now()));
      if ((await wait(turn)) === undefined && giveUp()) throw refusal();
    },

    wait,

    answered() {
      answeredAt = performance.now();
    },

    leave: connections.leave,
  };
}
