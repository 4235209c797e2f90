import { randomUUID } from 'node:crypto';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { createDeniedAttempts } from './denied-attempts.ts';

const migrations = new URL('../test-migrations/', import.meta.url);
const Line = z.object({ action: z.string(), times: z.number(), object_id: z.string().nullable() });
const quiet = { warn: () => undefined };

let database: OpenTestDatabase;
beforeAll(async () => {
  database = await openTestDatabase({ service: 'auth', migrations });
});
afterAll(() => database?.[Symbol.asyncDispose]());

const linesOf = (actor: string) =>
  database.db.any(sql.type(Line)`
    select action, times, object_id from audit_log where actor_id = ${actor} and result = 'denied' order by id
  `);

/** A clock that the test controls, and attempts of one user. */
function underTest(db: Parameters<typeof createDeniedAttempts>[0]['db'] = database.db) {
  const clock = { ms: 0 };
  const denied = createDeniedAttempts({ db, log: quiet, now: () => clock.ms });
  const id = randomUUID();
  const note = (objectId: string) =>
    denied.note({
      identity: { kind: 'bot', id },
      requestId: 'r',
      resource: 'envs',
      operation: 'update',
      objectId,
      envId: null,
    });
  return { clock, denied, id, note };
}

test('equal denied attempts within a minute make two events: the first attempt, and the number of repetitions', async () => {
  const { clock, denied, id, note } = underTest();
  const object = randomUUID();
  note(object);
  await denied.write();
  for (let n = 0; n < 7; n += 1) note(object);
  await denied.write();

  expect(await linesOf(id)).toEqual([{ action: 'update', times: 1, object_id: object }]);

  clock.ms = 60_000;
  await denied.write();
  await denied.write();
  expect(await linesOf(id)).toEqual([
    { action: 'update', times: 1, object_id: object },
    { action: 'update', times: 7, object_id: object },
  ]);
});

test('a flood of different denied attempts adds a few events, which count the omitted ones', async () => {
  const { clock, denied, id, note } = underTest();
  const objects = Array.from({ length: 500 }, () => randomUUID());
  for (const object of [...objects, ...objects]) note(object);
  await denied.write();
  for (const object of objects) note(object);
  clock.ms = 60_000;
  await denied.write();

  const lines = await linesOf(id);
  expect(lines).toHaveLength(41);
  expect(lines.at(-1)).toMatchObject({ action: 'further attempts', object_id: null, times: 480 * 3 });
  expect(lines.reduce((sum, { times }) => sum + times, 0)).toBe(1_500);
});

test('denied attempts are kept while the database is unavailable, and written when the service stops', async () => {
  let isLost = true;
  const { denied, id, note } = underTest({
    query: (query) => (isLost ? Promise.reject(new Error('lost')) : database.db.query(query)),
  });
  note(randomUUID());
  await expect(denied.write()).rejects.toThrow('lost');
  isLost = false;

  await denied[Symbol.asyncDispose]();

  expect(await linesOf(id)).toMatchObject([{ times: 1 }]);
});

test('refused sign-ins of fifty addresses have events of their own in a minute, so that a flood of addresses adds a few', async () => {
  const { clock, denied } = underTest();
  const resource = `sign-ins ${randomUUID()}`;
  const flood = () => {
    for (let n = 0; n < 2_000; n += 1) {
      denied.noteSignIn({ requestId: 'r', resource, action: 'authenticate', address: `192.0.2.${n}`, details: {} });
    }
  };
  flood();
  await denied.write();
  flood();
  await denied.write();
  clock.ms = 60_000;
  await denied.write();

  const lines = await database.db.any(sql.type(Line)`
    select action, times, object_id from audit_log where resource = ${resource} and actor_id is null order by id
  `);
  expect(lines).toHaveLength(101);
  expect(lines.at(-1)).toMatchObject({ action: 'further attempts', times: 1_950 * 2 });
  expect(lines.reduce((sum, { times }) => sum + times, 0)).toBe(4_000);
});

test('a flood of different refusals, of one address or of many, hides neither a guess at an account nor the refusals of another address', async () => {
  const { clock, denied } = underTest();
  const resource = `sign-ins ${randomUUID()}`;
  const guess = { requestId: 'r', resource, action: 'authenticate' };
  for (let n = 0; n < 500; n += 1)
    denied.noteSignIn({ ...guess, address: '192.0.2.1', details: { reason: `noise ${n}` } });
  denied.noteSignIn({ ...guess, address: '198.51.100.7', details: { reason: 'a guess' } });
  for (let n = 0; n < 500; n += 1) denied.noteSignIn({ ...guess, address: `203.0.113.${n}`, details: {} });
  for (let n = 0; n < 9; n += 1)
    denied.noteSignIn({ ...guess, address: `203.0.113.${n}`, account: 'ada', details: { reason: `at ada ${n}` } });
  clock.ms = 60_000;
  await denied.write();

  const Event = z.object({ action: z.string(), times: z.number(), details: z.record(z.string(), z.unknown()) });
  const events = await database.db.any(sql.type(Event)`
    select action, times, details from audit_log where resource = ${resource} order by id
  `);
  const reasons = events.map(({ details }) => String(details['reason']));
  expect(reasons.filter((reason) => reason.startsWith('noise'))).toHaveLength(3);
  expect(reasons.filter((reason) => reason === 'a guess')).toHaveLength(1);
  expect(reasons.filter((reason) => reason.startsWith('at ada'))).toHaveLength(5);
  const further = events.filter(({ action }) => action === 'further attempts');
  expect(further).toEqual([
    {
      action: 'further attempts',
      times: 497,
      details: { address: '192.0.2.1', different_attempts_before: 3, addresses: 1 },
    },
    { action: 'further attempts', times: 452, details: { different_attempts_before: 0, addresses: 452 } },
    { action: 'further attempts', times: 4, details: { account: 'ada', different_attempts_before: 5, addresses: 4 } },
  ]);
});
