import { hash } from 'node:crypto';
import type { Bus } from '@berth/bus/bus';
import { LRUCache } from 'lru-cache';

export interface StartedSignIns {
  add(state: string): void;
  /** Returns true once for each started sign-in, so that its callback is exempt from the limit of its address. */
  takeOut(state: string): boolean;
}

/** As long as auth keeps them. */
const lifetimeMs = 600_000;
/** An address may start 300 a minute, so even ten flooding addresses do not push out the sign-ins of others in ten minutes. */
const most = 50_000;

const keyOf = (state: string): string => hash('sha256', state, 'hex').slice(0, 32);

/** The sign-ins that any gateway has started, by a hash of their state. Gateways announce each start to the others. */
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
