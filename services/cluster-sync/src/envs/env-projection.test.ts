import { randomUUID } from 'node:crypto';
import type { FollowOptions } from '@berth/bus/state/follow-state';
import { envs } from '@berth/contracts/resources/envs/envs';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { mended, waysToBeWrong } from '@berth/testing/db/wrong-copies';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClusterRepository } from '../clusters/cluster-repository.ts';
import { envProjection } from './env-projection.ts';

let database: OpenTestDatabase;
beforeAll(async () => {
  const migrations = new URL('../../migrations/', import.meta.url);
  database = await openTestDatabase({ service: 'cluster-sync', migrations });
});
afterAll(() => database?.[Symbol.asyncDispose]());

const copy = () => ({
  db: database.db,
  projection: envProjection,
  resource: envs.name,
  table: 'env_projection',
  row: { id: randomUUID() },
});

test.for(waysToBeWrong)('a projection of envs that %s equals its owner again', async (way) => {
  const { live, owned } = await mended(copy(), way);

  expect(live).toEqual(owned);
});

test('a cluster is released from a deleted env whose tombstone was lost', async () => {
  const { db } = database;
  const clusters = createClusterRepository(db);
  await clusters.upsert({ provider_id: 'kubeconfig:one', name: 'one', region_name: 'here', ignore: false });
  const env_id = randomUUID();
  await db.query(sql.unsafe`truncate env_projection`);
  await envProjection.apply(db, { resource: 'envs', id: env_id, version: 1, env_id, operation: 'INSERT', row: {} });
  await db.query(sql.unsafe`update k8s_clusters set env_id = ${env_id}`);
  await db.query(sql.unsafe`update env_projection set applied_at = now() - interval '1 hour'`);
  const following = Promise.withResolvers<FollowOptions>();
  const bus = { state: { follow: async (_resource: unknown, given: FollowOptions) => following.resolve(given) } };
  await envProjection.follow({ db, bus })(new AbortController().signal);

  await (await following.promise).matches?.({ resource: 'envs', count: 0, hash: '0', lowest: 2 });

  expect((await clusters.list({}, 'all', {})).items).toMatchObject([{ env_id: null }]);
});
