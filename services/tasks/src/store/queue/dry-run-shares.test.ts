import { randomUUID } from 'node:crypto';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { statement } from '@berth/db/statement';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDryRunRepository } from './dry-run-repository.ts';

const migrations = new URL('../../../migrations/', import.meta.url);

let database: OpenTestDatabase;
let dryRuns: ReturnType<typeof createDryRunRepository>;
beforeAll(async () => {
  database = await openTestDatabase({ service: 'tasks', migrations });
  dryRuns = createDryRunRepository(database.db);
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(() => database.db.query(statement`truncate dry_runs`));

/** Adds this many, older ones first: the first added expires first. */
async function queue(count: number, { env_id, requester }: { env_id: string; requester: string }): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  const [kind_id, deployment_id, cluster_id] = [randomUUID(), randomUUID(), randomUUID()];
  const place = { kind_id, deployment_id, cluster_id, namespace: 'web', helm_chart_id: null };
  for (const id of ids) {
    inQueue += 1;
    await dryRuns.insert({ id, requester, env_id, ...place, sealed_run: '', adopts: false }, 60_000 + inQueue * 1_000);
  }
  return ids;
}
let inQueue = 0;

async function claims(count: number) {
  const taken = [];
  for (let n = 0; n < count; n += 1) taken.push(await dryRuns.claim());
  return taken;
}
const idsOf = (taken: Awaited<ReturnType<typeof claims>>) => taken.map((run) => run?.id);

test('envs take turns with dry runs: an env with many plans does not keep others waiting', async () => {
  const busy = await queue(5, { env_id: randomUUID(), requester: 'user:eager' });
  const quiet = await queue(2, { env_id: randomUUID(), requester: 'user:modest' });

  expect(idsOf(await claims(8))).toEqual([busy[0], quiet[0], busy[1], quiet[1], ...busy.slice(2), undefined]);
});

test('dry runs of an env are shared among requesters', async () => {
  const env_id = randomUUID();
  const eager = await queue(4, { env_id, requester: 'user:eager' });
  const modest = await queue(1, { env_id, requester: 'user:modest' });
  const third = await queue(1, { env_id, requester: 'user:third' });

  expect(idsOf(await claims(6))).toEqual([eager[0], modest[0], third[0], ...eager.slice(1)]);
});

test('an ended dry run counts against neither its env nor its requester', async () => {
  const [eager, modest] = [randomUUID(), randomUUID()];
  const many = await queue(3, { env_id: eager, requester: 'user:eager' });
  const few = await queue(2, { env_id: modest, requester: 'user:modest' });
  const [first] = await claims(2);
  if (first) await dryRuns.finish(first, 'outcome');

  expect(idsOf(await claims(3))).toEqual([many[1], many[2], few[1]]);
});
