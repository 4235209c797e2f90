import { randomUUID } from 'node:crypto';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { FollowOptions } from '@berth/bus/state/follow-state';
import type { StateMessage } from '@berth/bus/state/publish-state';
import { envs } from '@berth/contracts/resources/envs/envs';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import type { Database } from '../database.ts';
import { recordState } from '../outbox/outbox.ts';
import { outboxStore } from '../outbox/outbox-store.ts';
import { statement } from '../statement.ts';
import { followProjection, type ProjectionOptions } from './projection.ts';

const ProjectedEnv = z.object({
  id: z.uuid(),
  version: z.number(),
  deleted: z.boolean(),
  env_id: z.uuid().nullable(),
  name: z.string(),
  node_selector: z.unknown(),
  auto_add_new_users: z.boolean(),
});
const projectedEnv = sql.type(ProjectedEnv);

let database: OpenTestDatabase;
let db: Database;

beforeAll(async () => {
  database = await openTestDatabase({ service: 'tasks', migrations: new URL('../test-migrations/', import.meta.url) });
  db = database.db;
});
afterAll(() => database?.[Symbol.asyncDispose]());
beforeEach(() => db.query(statement`truncate env_projection, env_arrivals, outbox`));

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

/** The callbacks that the bus receives. */
async function follower(options: Partial<ProjectionOptions> = {}): Promise<FollowOptions> {
  const { promise, resolve } = Promise.withResolvers<FollowOptions>();
  const bus = { state: { follow: async (_resource: unknown, given: FollowOptions) => resolve(given) } };
  const loop = followProjection({ db, bus, resource: envs, table: 'env_projection', columns, ...options });
  await loop(new AbortController().signal);
  return promise;
}

const rows = () => db.any(projectedEnv`select * from env_projection order by name`);

test('a projection stores a row in typed columns', async () => {
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

test('a projection applies only newer versions, each once', async () => {
  const onApplied = vi.fn<NonNullable<ProjectionOptions['onApplied']>>(async () => {});
  const { apply } = await follower({ onApplied });
  for (const version of [2, 1, 2, 3, 3]) await apply(message(version));

  expect(await rows()).toMatchObject([{ version: 3, name: 'v3' }]);
  expect(onApplied.mock.calls.map(([{ version }]) => version)).toEqual([2, 3]);
});

test('a deleted row of a projection stays deleted when an older message arrives', async () => {
  const { apply } = await follower();
  await apply(message(5, { operation: 'DELETE' }));
  await apply(message(4));

  expect(await rows()).toMatchObject([{ version: 5, deleted: true }]);
});

test('the hook of a projection runs in the transaction of the row', async () => {
  const onApplied: ProjectionOptions['onApplied'] = async ({ version }, tx) => {
    await tx.query(statement`insert into env_arrivals values (${`v${version}`})`);
    if (version === 2) throw new Error('not now');
  };
  const { apply } = await follower({ onApplied });
  await apply(message(1));
  await expect(apply(message(2))).rejects.toThrow('not now');

  expect(await rows()).toMatchObject([{ version: 1 }]);
  expect(await db.anyFirst(sql.type(z.object({ name: z.string() }))`select name from env_arrivals`)).toEqual(['v1']);
});

test('concurrent followers leave a projection at the newest version', async () => {
  const { apply } = await follower();
  const versions = Array.from({ length: 40 }, (_, i) => i + 1).sort(() => Math.random() - 0.5);
  await Promise.all(versions.map((version) => apply(message(version))));

  expect(await rows()).toMatchObject([{ version: 40, name: 'v40' }]);
});

test('the digest of a projection equals the owner’s until a row differs', async () => {
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
    await db.transaction(async (tx) => recordState(tx, envs, { id: each, env_id: each, operation: 'INSERT', row }));
    if (index > 3) continue;
    await db.transaction(async (tx) => recordState(tx, envs, { id: each, env_id: each, operation: 'DELETE', row }));
  }
  const published = await outboxStore(db).unpublished(10, []);
  for (const message of published) await apply(message);
  await outboxStore(db).markPublished(published);
  const [digest] = await outboxStore(db).digests(['envs']);
  if (!digest || !matches) throw new Error('no digest');

  expect(digest.count).toBe(1);
  expect(await matches(digest)).toBe(true);
  await db.query(statement`update env_projection set version = version + 1 where not deleted`);
  expect(await matches(digest)).toBe(false);
  await db.query(statement`delete from env_projection where not deleted`);
  expect(await matches(digest)).toBe(false);
  expect(await matches({ resource: 'envs', count: 0, hash: '0', lowest: 0 })).toBe(true);
});

test('a projection forgets deleted rows after 30 days', async () => {
  const { apply, matches } = await follower();
  const fresh = randomUUID();
  await apply(message(1, { operation: 'DELETE' }));
  await apply(message(2, { operation: 'DELETE', id: fresh }));
  await db.query(statement`update env_projection set applied_at = now() - interval '31 days' where id = ${id}`);
  await matches?.({ resource: 'envs', count: 0, hash: '0', lowest: 0 });

  expect((await rows()).map((row) => row.id)).toEqual([fresh]);
});

test('a projected column that the owner does not publish is refused at the start', () => {
  const bus = { state: { follow: async () => {} } };

  expect(() => followProjection({ db, bus, resource: envs, table: 'env_projection', columns: ['colour'] })).toThrow(
    'The state of envs has no field colour to copy',
  );
});

test('a projected row with a version below all of the owner is removed, unless it was applied a moment ago', async () => {
  const gone: string[] = [];
  const { apply, matches } = await follower({ onGone: async (each) => void gone.push(each) });
  const [ghost, fresh] = [randomUUID(), randomUUID()];
  await apply(message(1, { id: ghost }));
  await apply(message(2, { id: fresh }));
  await db.query(statement`update env_projection set applied_at = now() - interval '11 seconds' where id = ${ghost}`);
  const none = { resource: 'envs', count: 0, hash: '0', lowest: 3 };

  expect(await matches?.(none)).toBe(false);
  await db.query(statement`update env_projection set applied_at = now() - interval '11 seconds'`);
  expect(await matches?.({ ...none, lowest: 2 })).toBe(false);
  expect(gone).toEqual([]);
  expect(await matches?.(none)).toBe(true);
  expect(gone.toSorted()).toEqual([ghost, fresh].toSorted());
});
