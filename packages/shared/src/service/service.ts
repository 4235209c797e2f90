import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

/** Work that repeats until shutdown; see `every` and `loop` in `loop.ts`. It ends when the signal aborts. */
export type Loop = (signal: AbortSignal) => Promise<void>;

/** What `runService` hands to the wiring of a service. */
export interface Service {
  readonly log: Logger;
  readonly metrics: Registry;
  /** Aborts when the service is told to stop. */
  readonly signal: AbortSignal;
  /** Closes it at shutdown, last opened first closed. */
  use<T extends AsyncDisposable | Disposable>(resource: T): T;
  /** Runs until shutdown; a throw stops the service with exit code 1. */
  loop(name: string, run: Loop): void;
  /** Counts into `/readyz`: ready when all checks answer true. */
  readiness(name: string, check: () => boolean | Promise<boolean>): void;
  /** Counts into `/healthz`. */
  liveness(name: string, check: () => boolean): void;
}
