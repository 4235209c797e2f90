import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Database } from '@berth/db/database';
import { whileHolding } from '@berth/db/leases/while-holding';
import { every } from '@berth/service/loop';
import type { Loop } from '@berth/service/service';
import { type PollDeps, pollRegistry } from './poll-registry.ts';
import type { ConfiguredRegistry } from '../scan/configured-registry.ts';

interface PollRegistries extends Omit<PollDeps, 'whileLeader'> {
  db: Database;
}

/** One loop for each registry; a lease keeps two replicas from polling one registry at the same time. */
export function pollRegistries(
  { db, ...deps }: PollRegistries,
  registries: Iterable<ConfiguredRegistry>,
): [name: string, loop: Loop][] {
  const holder = `${hostname()} ${process.pid} ${randomUUID()}`;
  const lease = { holder, ttlMs: 30_000, heartbeatMs: 8_000, marginMs: 5_000 };
  const whileLeader: PollDeps['whileLeader'] = (key, work, signal) =>
    whileHolding(db, { ...lease, name: `poll ${key}`, signal }, (held) => work(held));

  return Array.from(registries, (registry) => [
    `poll ${registry.key}`,
    every(1_000, pollRegistry({ ...deps, whileLeader }, registry)),
  ]);
}
