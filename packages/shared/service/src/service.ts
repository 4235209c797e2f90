import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

/** Receives the outcome of each run of a loop; `runService` gives one to each loop. */
export interface LoopReporter {
  readonly log: Logger;
  /** Called once, before the first run, by a loop that repeats at an interval. */
  repeats(ms: number): void;
  ran(outcome: 'ok' | 'failed', seconds: number): void;
}

/** Work that repeats until shutdown; see `every` in `loop.ts`. It ends when the signal aborts. */
export type Loop = (signal: AbortSignal, reporter?: LoopReporter) => Promise<void>;

/** A resource with these members takes part in the service's health without registering checks. */
export interface TellsHealth {
  /** False if only a restart helps. */
  isAlive?(): boolean;
  /** False while requests cannot be served. */
  isConnected?(): boolean;
  /** Aborts, with an error as its reason, when the service must stop. */
  readonly failure?: AbortSignal;
}

/** The parameter of a service's `wire`. */
export interface Service {
  readonly log: Logger;
  readonly metrics: Registry;
  /** Aborts when the service must stop. */
  readonly signal: AbortSignal;
  /** Closes it at shutdown, last opened first closed. */
  use<T extends (AsyncDisposable | Disposable) & TellsHealth>(resource: T): T;
  /** Runs until shutdown; an exception stops the service with exit code 1. */
  loop(name: string, run: Loop): void;
  /** A check of `/readyz`: ready while all checks are true. */
  readiness(name: string, check: () => boolean | Promise<boolean>): void;
  /** A check of `/healthz`. */
  liveness(name: string, check: () => boolean): void;
}
