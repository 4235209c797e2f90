import { openTestDatabase, type OpenTestDatabase } from '@berth/testing/open-test-database';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createHintRepository, type HintRepository, type NewHint } from './hint-repository.ts';

const migrations = new URL('../../migrations/', import.meta.url);
const soon = 60_000;

let database: OpenTestDatabase;
let hints: HintRepository;
beforeAll(async () => {
  database = await openTestDatabase({ service: 'registry-scan', migrations });
  hints = createHintRepository(database.db);
});
afterAll(() => database?.[Symbol.asyncDispose]());
beforeEach(() => database.db.query(sql.unsafe`truncate push_hints`));

const named = { key: 'registry.example.com', repository: 'charts/web', digest: null };
const hint = (tag: string | null, fields: Partial<NewHint> = {}): NewHint => ({ ...named, tag, afterMs: 0, ...fields });

async function takeAll(busy: readonly string[] = []) {
  const taken: string[] = [];
  for (let next = await hints.take(soon, busy); next; next = await hints.take(soon, busy)) taken.push(String(next.tag));
  return taken.toSorted((one, other) => one.localeCompare(other));
}

test('each hint is handed out once, and there is one for each tag or repository', async () => {
  await hints.add([hint('a'), hint(null)]);
  await hints.add([hint('b'), hint('b', { digest: 'sha256:1' }), hint('a')]);

  expect(await takeAll()).toEqual(['a', 'b', 'null']);
  expect(await hints.nextInMs([])).toBeGreaterThan(0);
});

test('the newest of the hints for a tag counts', async () => {
  await hints.add([hint('a', { digest: 'sha256:1' }), hint('a', { digest: 'sha256:2' })]);
  await hints.add([hint('a', { digest: 'sha256:3' })]);

  expect(await hints.take(soon, [])).toMatchObject({ ...named, tag: 'a', digest: 'sha256:3', attempt: 1 });
});

test('a hint that was taken and not removed comes back, as after the end of its replica', async () => {
  await hints.add([hint('a')]);
  expect(await hints.take(0, [])).toMatchObject({ tag: 'a', attempt: 1 });

  const second = await hints.take(soon, []);

  expect(second).toMatchObject({ tag: 'a', attempt: 2 });
  if (second) await hints.remove(second);
  expect(await hints.nextInMs([])).toBeNull();
});

test('the end of a scan leaves a hint for the same tag that came meanwhile', async () => {
  await hints.add([hint('a')]);
  const first = await hints.take(soon, []);
  await hints.add([hint('a', { digest: 'sha256:2' })]);

  if (first) await hints.remove(first);

  expect(await hints.take(soon, [])).toMatchObject({ tag: 'a', digest: 'sha256:2', attempt: 1 });
});

test('a hint is handed out when it is due, and a newer one never delays it', async () => {
  await hints.add([hint('a', { afterMs: 3_600_000 })]);
  expect(await hints.take(soon, [])).toBeNull();
  expect(await hints.nextInMs([])).toBeGreaterThan(60_000);

  await hints.add([hint('a')]);
  await hints.add([hint('a', { afterMs: 3_600_000 })]);

  expect(await takeAll()).toEqual(['a']);
});

test('hints of busy registries wait', async () => {
  await hints.add([hint('a'), hint('b', { key: 'other.example.com' })]);

  expect(await takeAll(['registry.example.com'])).toEqual(['b']);
  expect(await hints.nextInMs(['registry.example.com'])).toBeGreaterThan(0);
  expect(await hints.nextInMs([])).toBeLessThanOrEqual(0);
});

test('a full queue refuses hints for new tags, and still replaces those that wait', async () => {
  const keys = ['a', 'b', 'c', 'd', 'e'];
  for (const key of keys) {
    expect(await hints.add(Array.from({ length: 2_000 }, (_, n) => hint(`${n}`, { key })))).toEqual([]);
  }

  expect(await hints.add([hint('one more'), hint('7', { key: 'a', digest: 'sha256:7' })])).toEqual([named.key]);

  const kept = await database.db.any(sql.unsafe`
    select registry_key, tag from push_hints where tag = 'one more' or digest is not null
  `);
  expect(kept).toEqual([{ registry_key: 'a', tag: '7' }]);
});

test('a registry that sends hints without end leaves room for those of others', async () => {
  const many = Array.from({ length: 3_000 }, (_, n) => hint(`${n}`));

  expect(await hints.add(many)).toEqual([named.key]);
  expect(await hints.add([hint('1', { key: 'other.example.com' })])).toEqual([]);

  const [stored] = await database.db.any(
    sql.unsafe`select count(*) as count from push_hints where registry_key = ${named.key}`,
  );
  expect(stored).toEqual({ count: 2_000 });
});
