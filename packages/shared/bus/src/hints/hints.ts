import type { HintName } from '@berth/contracts/definition/hints';

/** Messages that may be lost: they only make the receiver check sooner. */
export interface Hints {
  send(name: HintName, key: string): void;
  /** Calls `onHint(key)` until the signal aborts; errors that it throws are logged. */
  listen(name: HintName, onHint: (key: string) => void, options: { key?: string; signal: AbortSignal }): void;
}
