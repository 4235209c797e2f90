import { randomUUID } from 'node:crypto';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { FollowOptions } from '../../bus/state/follow-state.ts';
import type { StateMessage } from '../../bus/state/publish-state.ts';
import { envs } from '../../contracts/resources/envs.ts';
import { type OpenTestDatabase, openTestDatabase } from '../../testing/open-test-database.ts';
import type { Database } from '../database.ts';
import { recordState } from '../outbox/outbox.ts';
import { outboxStore } from '../outbox/outbox-store.ts';
import { followProjection, type ProjectionOptions } from './projection.ts';

const nothing = sql.type(z.object({}));
const Seen = z.object({
  id: z.uuid(),
  version: z.number(),
  deleted: z.boolean(),
  env_id: z.uuid().nullable(),
  name: z.string(),
  node_selector: z.unknown(),
  auto_add_new_users: z.boolean(),
});
const seen = sql.type(Seen);

let database: OpenTestDatabase;
let db: Database;

beforeAll(async () => {
  database = await openTestDatabase({ service: 'tasks', migrations: new URL('../test-migrations/', import.meta.url) });
  db = database.db;
});
afterAll(() => database?.[Symbol.asyncDispose]());
beforeEach(() => db.query(nothing`truncate envs_seen, env_arrivals, outbox`));

const id = randomUUID();
const columns = ['name', 'node_selector', 'auto_add_new_users', 'env_id'];

const message = (version: number, changes: Partial<StateMessage> = {}, name = `v${version}`): StateMessage => ({
  resource: 'envs',
  id,
  version,
  env_id: id,
  operation: 'UPDATE',
  row: { id, name, node_selector: { disk: ['ssd'] }, tolerations: null, auto_add_new_users: true, added_later: 1 },
  ...changes,
});

/** What the bus is given to call. */
async function follower(options: Partial<ProjectionOptions> = {}): Promise<FollowOptions> {
  const { promise, resolve } = Promise.withResolvers<FollowOptions>();
  const bus = { state: { follow: async (_resource: unknown, given: FollowOptions) => resolve(given) } };
  const loop = followProjection({ db, bus, resource: envs, table: 'envs_seen', columns, ...options });
  await loop(new AbortController().signal);
  return promise;
}

const rows = () => db.any(seen`select * from envs_seen order by name`);

test('a row is copied into typed columns', async () => {
  const { apply } = await follower();
  await apply(message(1));

  expect(await rows()).toEqual([
    {
      id,
      version: 1,
      deleted: false,
      env_id: id,
      name: 'v1',
      node_selector: { disk: ['ssd'] },
      auto_add_new_users: true,
    },
  ]);
});

test('only news is applied: not what is older, and nothing twice', async () => {
  const onApplied = vi.fn<NonNullable<ProjectionOptions['onApplied']>>(async () => {});
  const { apply } = await follower({ onApplied });
  for (const version of [2, 1, 2, 3, 3]) await apply(message(version));

  expect(await rows()).toMatchObject([{ version: 3, name: 'v3' }]);
  expect(onApplied.mock.calls.map(([{ version }]) => version)).toEqual([2, 3]);
});

test('what is deleted stays deleted when late news comes', async () => {
  const { apply } = await follower();
  await apply(message(5, { operation: 'DELETE' }));
  await apply(message(4));

  expect(await rows()).toMatchObject([{ version: 5, deleted: true }]);
});

test('the hook and the row are one transaction', async () => {
  const onApplied: ProjectionOptions['onApplied'] = async ({ version }, tx) => {
    await tx.query(nothing`insert into env_arrivals values (${`v${version}`})`);
    if (version === 2) throw new Error('not now');
  };
  const { apply } = await follower({ onApplied });
  await apply(message(1));
  await expect(apply(message(2))).rejects.toThrow('not now');

  expect(await rows()).toMatchObject([{ version: 1 }]);
  expect(await db.anyFirst(sql.type(z.object({ name: z.string() }))`select name from env_arrivals`)).toEqual(['v1']);
});

test('copies of many followers at once end at the newest', async () => {
  const { apply } = await follower();
  const versions = Array.from({ length: 40 }, (_, i) => i + 1).sort(() => Math.random() - 0.5);
  await Promise.all(versions.map((version) => apply(message(version))));

  expect(await rows()).toMatchObject([{ version: 40, name: 'v40' }]);
});

test('the digest of the copy is that of the owner, until a row differs', async () => {
  const { apply, matches } = await follower();
  const ids = Array.from({ length: 5 }, () => randomUUID());
  for (const [index, each] of ids.entries()) {
    const row = {
      id: each,
      created_at: '2024-05-06T07:08:09.000Z',
      name: `env ${index}`,
      node_selector: null,
      tolerations: null,
      auto_add_new_users: false,
    };
    await db.transaction((tx) => recordState(tx, envs, { id: each, env_id: each, operation: 'INSERT', row }));
    if (index > 3) continue;
    await db.transaction((tx) => recordState(tx, envs, { id: each, env_id: each, operation: 'DELETE', row }));
  }
  const published = await outboxStore(db).unpublished(10, []);
  for (const message of published) await apply(message);
  await outboxStore(db).markPublished(published);
  const [digest] = await outboxStore(db).digests(['envs']);
  if (!digest || !matches) throw new Error('no digest');

  expect(digest.count).toBe(1);
  expect(await matches(digest)).toBe(true);
  await db.query(nothing`update envs_seen set version = version + 1 where not deleted`);
  expect(await matches(digest)).toBe(false);
  await db.query(nothing`delete from envs_seen where not deleted`);
  expect(await matches(digest)).toBe(false);
  expect(await matches({ resource: 'envs', count: 0, hash: '0', lowest: 0 })).toBe(true);
});

test('the deleted are forgotten after 30 days', async () => {
  const { apply, matches } = await follower();
  const fresh = randomUUID();
  await apply(message(1, { operation: 'DELETE' }));
  await apply(message(2, { operation: 'DELETE', id: fresh }));
  await db.query(nothing`update envs_seen set applied_at = now() - interval '31 days' where id = ${id}`);
  await matches?.({ resource: 'envs', count: 0, hash: '0', lowest: 0 });

  expect((await rows()).map((row) => row.id)).toEqual([fresh]);
});

test('a column that the owner does not show is refused when the service is wired', () => {
  const bus = { state: { follow: async () => {} } };

  expect(() => followProjection({ db, bus, resource: envs, table: 'envs_seen', columns: ['colour'] })).toThrow(
    'The state of envs has no field colour to copy',
  );
});

test('a row below all of its owner is taken away, unless it came a moment ago', async () => {
  const gone: string[] = [];
  const { apply, matches } = await follower({ onGone: async (each) => void gone.push(each) });
  const [ghost, fresh] = [randomUUID(), randomUUID()];
  await apply(message(1, { id: ghost }));
  await apply(message(2, { id: fresh }));
  await db.query(nothing`update envs_seen set applied_at = now() - interval '11 seconds' where id = ${ghost}`);
  const none = { resource: 'envs', count: 0, hash: '0', lowest: 3 };

  expect(await matches?.(none)).toBe(false);
  await db.query(nothing`update envs_seen set applied_at = now() - interval '11 seconds'`);
  expect(await matches?.({ ...none, lowest: 2 })).toBe(false);
  expect(gone).toEqual([]);
  expect(await matches?.(none)).toBe(true);
  expect(gone.toSorted()).toEqual([ghost, fresh].toSorted());
});
