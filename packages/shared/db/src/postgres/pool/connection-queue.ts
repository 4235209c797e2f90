import { currentDeadline } from '@berth/service/waiting/deadline';
import { slots } from '@berth/service/waiting/slots';
import { withinMs } from '@berth/service/waiting/within-ms';

export interface ConnectionQueueOptions {
  /** Connections that are in use at the same time. */
  max: number;
  mostWaiting: number;
  /** How long work waits that has no deadline, and any work while the server answers nothing. */
  patienceMs: number;
  /** Time before its deadline that work needs once it has a connection. */
  reserveMs: number;
  refusal: () => Error;
}

export interface ConnectionQueue {
  /** Resolves when the caller may take a connection; throws the refusal when that would be too late. */
  enter(): Promise<void>;
  /** Waits for a new connection by the same rule; undefined when that would be too late. */
  wait<T extends object | true>(promise: Promise<T>): Promise<T | undefined>;
  /** The server answered on one of the connections. */
  answered(): void;
  /** Lets the next one enter. */
  leave(): void;
}

/**
 * The callers that wait for a connection, ordered by the time at which waiting becomes useless: a heartbeat with two seconds goes
 * before a change with five. While the server answers, work waits for its turn as long as its deadline allows, so a crowd is served
 * one after the other; while it does not, as when it hangs, work is refused soon. Freed connections do not show whether it answers:
 * with five hundred requests at once each turn takes so long that every transaction, of several turns, outlasts the patience.
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

  /** When waiting that started at this time has become useless. */
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
