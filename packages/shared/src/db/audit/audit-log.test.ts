import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openTestDatabase } from '../../testing/open-test-database.ts';
import { recordAudit } from './audit-log.ts';

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
