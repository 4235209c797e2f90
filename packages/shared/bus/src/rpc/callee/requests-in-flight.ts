import { withinMs } from '@berth/service/waiting/within-ms';
import { delays, limits } from '../../protocol/limits.ts';

/** How far past its deadline a request still counts as in flight. */
const overdueMs = 10_000;

interface InFlight {
  /** On the clock of `performance.now()`. */
  deadline: number;
  /** The size of the request. */
  bytes: number;
}

/** The requests in flight of one process, limited in number and bytes. */
export class RequestsInFlight {
  readonly #work = new Map<Promise<void>, InFlight>();
  #bytes = 0;

  get size(): number {
    return this.#work.size;
  }

  /** Whether another request fits. Requests long past their deadline are dropped first, because a handler may never end. */
  hasRoom(now: number, bytes = 0): boolean {
    if (this.#fits(bytes)) return true;
    for (const [work, { deadline }] of this.#work) if (deadline + overdueMs < now) this.#remove(work);
    return this.#fits(bytes);
  }

  /** `work` must never reject. */
  add(work: Promise<void>, { deadline, bytes = 0 }: Pick<InFlight, 'deadline'> & Partial<InFlight>): void {
    this.#work.set(work, { deadline, bytes });
    this.#bytes += bytes;
    void work.finally(() => this.#remove(work));
  }

  #fits(bytes: number): boolean {
    return this.#work.size < limits.requestsInFlight && this.#bytes + bytes <= limits.requestBytesInFlight;
  }

  #remove(work: Promise<void>): void {
    this.#bytes -= this.#work.get(work)?.bytes ?? 0;
    this.#work.delete(work);
  }

  /** Waits, within a limit, for all to end; returns how many have not. */
  async ended(): Promise<number> {
    await withinMs(delays.drain, Promise.allSettled(this.#work.keys()));
    return this.#work.size;
  }
}
