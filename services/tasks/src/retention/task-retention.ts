import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Database } from '@berth/db/database';
import { whileHolding } from '@berth/db/leases/while-holding';
import { every } from '@berth/service/loop';
import type { Loop } from '@berth/service/service';
import { type RemoveOldTasksDeps, removeOldTasks } from './remove-old-tasks.ts';

const everyMs = 10 * 60_000;

/** Old tasks are removed by one replica at a time. */
export function taskRetention({ db, ...deps }: RemoveOldTasksDeps & { db: Database }): Loop {
  const holder = `${hostname()} ${process.pid} ${randomUUID()}`;
  const lease = { name: 'remove old tasks', holder, ttlMs: 30_000, heartbeatMs: 8_000, marginMs: 5_000 };
  return every(everyMs, (signal) => whileHolding(db, { ...lease, signal }, (held) => removeOldTasks(deps, held)));
}
