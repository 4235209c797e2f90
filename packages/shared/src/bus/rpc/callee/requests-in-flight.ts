import { withinMs } from '../../../waiting/within-ms.ts';
import { delays, limits } from '../../protocol/limits.ts';

/** How far past its deadline a request still counts as in flight. */
const overdueMs = 10_000;

/** The requests in flight of one process, up to a bound. */
export class RequestsInFlight {
  /** By the work, its deadline on the clock of `performance.now()`. */
  readonly #work = new Map<Promise<void>, number>();

  get size(): number {
    return this.#work.size;
  }

  /** Whether one more may be taken. Requests long past their deadline are dropped first: a handler may never end. */
  hasRoom(now: number): boolean {
    if (this.#work.size < limits.requestsInFlight) return true;
    for (const [work, deadline] of this.#work) if (deadline + overdueMs < now) this.#work.delete(work);
    return this.#work.size < limits.requestsInFlight;
  }

  /** `work` must not reject. */
  add(work: Promise<void>, deadline: number): void {
    this.#work.set(work, deadline);
    void work.finally(() => this.#work.delete(work));
  }

  /** Waits, within a limit, until all have ended; returns how many have not. */
  async ended(): Promise<number> {
    await withinMs(delays.drain, Promise.allSettled(this.#work.keys()));
    return this.#work.size;
  }
}
