import { hash } from 'node:crypto';
import type { Bus } from '@berth/bus/bus';
import { LRUCache } from 'lru-cache';

export interface StartedSignIns {
  add(state: string): void;
  /** True once for each sign-in that was started: its callback is under way, whatever others at its address do. */
  takeOut(state: string): boolean;
}

/** As auth keeps them. */
const lifetimeMs = 600_000;
/** An address may start 300 a minute, so ten flooding ones for ten minutes do not push out those of others. */
const most = 50_000;

const keyOf = (state: string): string => hash('sha256', state, 'hex').slice(0, 32);

/** The sign-ins that this gateway or another one has started, by a hash of their state. The others hear of each. */
export function createStartedSignIns(hints: Bus['hints'], signal: AbortSignal): StartedSignIns {
  const started = new LRUCache<string, true>({ max: most, ttl: lifetimeMs });
  hints.listen('sign_in_started', (key) => started.set(key, true), { signal });

  return {
    add(state) {
      const key = keyOf(state);
      started.set(key, true);
      hints.send('sign_in_started', key);
    },
    takeOut: (state) => started.delete(keyOf(state)),
  };
}
