import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

/** Who hears how a loop fares; `runService` gives one to each. */
export interface LoopReporter {
  readonly log: Logger;
  ran(outcome: 'ok' | 'failed', seconds: number): void;
}

/** Work that repeats until shutdown; see `every` in `loop.ts`. It ends when the signal aborts. */
export type Loop = (signal: AbortSignal, reporter?: LoopReporter) => Promise<void>;

/** Resources that know how they are count into the health of the service by themselves. */
export interface TellsHealth {
  /** False where only a new process helps. */
  isAlive?(): boolean;
  /** False while requests cannot be served. */
  isConnected?(): boolean;
  /** Aborts, with an error as its reason, when the service must stop. */
  readonly failure?: AbortSignal;
}

/** What `runService` hands to the wiring of a service. */
export interface Service {
  readonly log: Logger;
  readonly metrics: Registry;
  /** Aborts when the service is told to stop. */
  readonly signal: AbortSignal;
  /** Closes it at shutdown, last opened first closed. */
  use<T extends (AsyncDisposable | Disposable) & TellsHealth>(resource: T): T;
  /** Runs until shutdown; a throw stops the service with exit code 1. */
  loop(name: string, run: Loop): void;
  /** Counts into `/readyz`: ready when all checks answer true. */
  readiness(name: string, check: () => boolean | Promise<boolean>): void;
  /** Counts into `/healthz`. */
  liveness(name: string, check: () => boolean): void;
}
