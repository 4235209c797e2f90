import { delays, limits } from '../limits.ts';

/** How far behind its deadline a request may still count as being worked on. */
const overdueMs = 10_000;

/** The requests one process works on, up to a bound. */
export class RequestsInHand {
  /** By the work, its deadline on the clock of `performance.now()`. */
  readonly #work = new Map<Promise<void>, number>();

  get size(): number {
    return this.#work.size;
  }

  /** Whether one more may be taken. A handler that never ends must not hold its place for ever; such ones are forgotten first. */
  hasRoom(now: number): boolean {
    if (this.#work.size < limits.requestsInHand) return true;
    for (const [work, deadline] of this.#work) if (deadline + overdueMs < now) this.#work.delete(work);
    return this.#work.size < limits.requestsInHand;
  }

  /** `work` must not reject. */
  add(work: Promise<void>, deadline: number): void {
    this.#work.set(work, deadline);
    void work.finally(() => this.#work.delete(work));
  }

  /** Waits until all have ended, though not for ever; tells how many have not. */
  async ended(): Promise<number> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, delays.drain);
    });
    await Promise.race([Promise.allSettled(this.#work.keys()), patience]);
    clearTimeout(timer);
    return this.#work.size;
  }
}
