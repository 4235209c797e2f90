import { randomUUID } from 'node:crypto';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { mended, waysToBeWrong } from '@berth/testing/db/wrong-copies';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deploymentKindProjection as projection } from './deployment-kind-projection.ts';

let database: OpenTestDatabase;
beforeAll(async () => {
  database = await openTestDatabase({ service: 'auth', migrations: new URL('../../migrations/', import.meta.url) });
});
afterAll(() => database?.[Symbol.asyncDispose]());

test.for(waysToBeWrong)('a projection of deployment kinds that %s equals its owner again', async (way) => {
  const row = { id: randomUUID() };
  const copy = { db: database.db, projection, resource: 'deployment_kinds', table: 'deployment_kind_projection', row };

  const { live, owned } = await mended(copy, way);

  expect(live).toEqual(owned);
});
