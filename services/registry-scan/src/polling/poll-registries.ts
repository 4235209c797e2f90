import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Database } from '@berth/db/database';
import { whileHolding } from '@berth/db/leases/while-holding';
import { every } from '@berth/service/loop';
import type { Loop } from '@berth/service/service';
import { type PollDeps, pollRegistry } from './poll-registry.ts';
import type { ScannedRegistry } from '../scan/scanned-registry.ts';

/** A lease keeps two replicas from polling one registry at the same time. */
export function whileLeaderIn(db: Database): PollDeps['whileLeader'] {
  const holder = `${hostname()} ${process.pid} ${randomUUID()}`;
  const lease = { holder, ttlMs: 30_000, heartbeatMs: 8_000, marginMs: 5_000 };
  return (key, work, signal) => whileHolding(db, { ...lease, name: `poll ${key}`, signal }, (held) => work(held));
}

/** One loop for each registry. */
export const pollRegistries = (deps: PollDeps, registries: Iterable<ScannedRegistry>): [name: string, loop: Loop][] =>
  Array.from(registries, (registry) => [`poll ${registry.key}`, every(1_000, pollRegistry(deps, registry))]);
