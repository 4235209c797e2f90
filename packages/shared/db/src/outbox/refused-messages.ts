import type { StateMessage } from '@berth/bus/state/publish-state';
import type { TroubleLogger } from './trouble-log.ts';

const retryMs = 10_000;
const most = 1_000;

/** Messages that the bus refused, set aside for a while so that others are not blocked. */
export class RefusedMessages {
  readonly #log: TroubleLogger;
  #messages: { message: StateMessage; again: number }[] = [];

  constructor(log: TroubleLogger) {
    this.#log = log;
  }

  add(refused: readonly { message: StateMessage; error: unknown }[]): void {
    for (const { message, error } of refused) {
      const { resource, id, version } = message;
      this.#log.warn({ err: error, resource, id, version }, 'publishing a state change failed');
      this.#messages.push({ message, again: performance.now() + retryMs });
    }
    this.#messages = this.#messages.slice(-most);
  }

  waiting(): StateMessage[] {
    this.#messages = this.#messages.filter(({ again }) => again > performance.now());
    return this.#messages.map(({ message }) => message);
  }
}
