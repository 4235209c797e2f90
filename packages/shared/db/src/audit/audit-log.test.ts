import { randomUUID } from 'node:crypto';
import { Registry } from 'prom-client';
import { sql } from 'slonik';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { openTestDatabase } from '@berth/testing/open-test-database';
import { statement } from '../statement.ts';
import { recordAudit } from './audit-log.ts';
import { auditRetention } from './audit-retention.ts';
import { readAudit } from './read-audit.ts';

const migrations = new URL('../test-migrations/', import.meta.url);
const actions = sql.type(z.object({ action: z.string() }));

test('the audit log is append-only', async () => {
  await using database = await openTestDatabase({ service: 'tasks', migrations });
  const { db } = database;
  const by = { identity: undefined, requestId: null };
  const entry = { by, action: 'tidy', resource: 'boats', objectId: null, envId: null, details: {} };
  await db.transaction((tx) => recordAudit(tx, entry));

  await expect(db.query(sql.unsafe`update audit_log set action = 'x'`)).rejects.toThrow('append-only');
  await expect(db.query(sql.unsafe`delete from audit_log`)).rejects.toThrow('append-only');
  await expect(db.query(sql.unsafe`truncate audit_log`)).rejects.toThrow('append-only');

  expect(await db.anyFirst(actions`select action from audit_log`)).toEqual(['tidy']);
});

test('audit events are removed when they are older than the setting, and younger ones still cannot be', async () => {
  await using database = await openTestDatabase({ service: 'tasks', migrations });
  const { db } = database;
  await db.query(statement`
    insert into audit_log (at, action, resource, details)
    select now() - i * interval '1 day' - interval '1 minute', 'day ' || i, 'boats', '{}' from generate_series(0, 2500) i
  `);
  const count = sql.type(z.object({ count: z.number() }))`select count(*)::int4 as count from audit_log`;
  const metrics = new Registry();
  const run = (days: number) => {
    const running = new AbortController();
    const over = auditRetention({ db, metrics, days })(running.signal);
    return async () => {
      running.abort();
      await over;
    };
  };

  const stopNone = run(0);
  const stop = run(90);
  await vi.waitFor(async () => expect(await db.oneFirst(count)).toBe(90));
  await Promise.all([stop(), stopNone()]);

  expect(await metrics.metrics()).toContain('berth_audit_events_removed_total 2411');
  expect(await db.anyFirst(actions`select action from audit_log order by at limit 1`)).toEqual(['day 89']);
  await expect(db.query(sql.unsafe`delete from audit_log`)).rejects.toThrow('append-only');
});

test('an audit event stays small however large the rows are, so a page of events fits into a message', async () => {
  await using database = await openTestDatabase({ service: 'tasks', migrations });
  const { db } = database;
  const by = { identity: undefined, requestId: null };
  const objectId = randomUUID();
  const large = Array.from({ length: 60 }, (_, n) => [`field_${n}`, ['x'.repeat(2_000), 'y'.repeat(n * 1_000)]]);
  const details = { ...Object.fromEntries(large), small: [1, 2] };
  await recordAudit(db, { by, action: 'tidy', resource: 'boats', objectId, envId: null, details, compares: true });
  // An event from before all fields together had a limit.
  await db.query(statement`
    insert into audit_log (action, resource, object_id, details, compares)
    select 'tidy', 'boats', ${objectId}, jsonb_object_agg('f' || i, jsonb_build_array(null, repeat('x', 4000))), true
    from generate_series(1, 50) i
  `);

  const events = await readAudit(db, 'tasks', { visible: 'all', query: { object_id: objectId } });

  expect(events).toHaveLength(2);
  for (const event of events) {
    expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(30_000);
    expect(Object.keys(event.after ?? {})).toHaveLength(50);
  }
  expect(events.find(({ before }) => before?.['field_0'])).toMatchObject({
    before: { field_0: 'x'.repeat(2_000), field_49: '(2002 bytes)' },
    after: { field_0: '', field_49: '(49002 bytes)' },
  });
});
