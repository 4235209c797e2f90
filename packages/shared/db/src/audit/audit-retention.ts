import { Counter, type Registry } from 'prom-client';
import { z } from 'zod';
import { every } from '@berth/service/loop';
import { oncePerRegistry } from '@berth/service/metrics/once-per-registry';
import type { Loop } from '@berth/service/service';
import type { Database, Transaction } from '../database.ts';
import { inBatches } from '../postgres/in-batches.ts';
import { statement } from '../statement.ts';

/** Settings of every service that keeps audit events. */
export const auditSettings = {
  /** Events older than this are removed; 0 keeps them forever. */
  AUDIT_RETENTION_DAYS: z.coerce.number().int().min(0).max(36_500).default(730),
};

export interface AuditRetentionDeps {
  db: Pick<Database, 'transaction'>;
  metrics: Registry;
  days: number;
}

const everyMs = 10 * 60_000;

const removedEvents = oncePerRegistry(
  (registry) =>
    new Counter({
      name: 'berth_audit_events_removed_total',
      help: 'Audit events that were removed because they are no longer kept',
      registers: [registry],
    }),
);

/** Removes old events in short transactions, at most 100,000 per run. Concurrent replicas skip each other's rows. */
export function auditRetention({ db, metrics, days }: AuditRetentionDeps): Loop {
  const removed = removedEvents(metrics);
  return every(everyMs, (signal) =>
    days === 0
      ? undefined
      : inBatches(async (most) => {
          const count = await db.transaction((tx) => removeSome(tx, days, most));
          removed.inc(count);
          return count;
        }, signal),
  );
}

async function removeSome(tx: Transaction, days: number, most: number): Promise<number> {
  await tx.query(statement`select set_config('berth.removes_old_audit_events', 'yes', true)`);
  const { rowCount } = await tx.query(statement`
    delete from audit_log where id in (
      select id from audit_log where at < now() - ${days} * interval '1 day'
      order by at, event_id limit ${most}
      for update skip locked
    )
  `);
  return rowCount;
}
