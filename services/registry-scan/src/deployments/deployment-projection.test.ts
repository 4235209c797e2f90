import { randomUUID } from 'node:crypto';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { mended, waysToBeWrong } from '@berth/testing/db/wrong-copies';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deploymentProjection as projection } from './deployment-projection.ts';

let database: OpenTestDatabase;
beforeAll(async () => {
  database = await openTestDatabase({
    service: 'registry-scan',
    migrations: new URL('../../migrations/', import.meta.url),
  });
});
afterAll(() => database?.[Symbol.asyncDispose]());

test.for(waysToBeWrong)('a projection of deployments that %s equals its owner again', async (way) => {
  const row = { id: randomUUID(), helm_chart_id: randomUUID() };
  const copy = { db: database.db, projection, resource: 'deployments', table: 'deployment_projection', row };

  const { live, owned } = await mended(copy, way);

  expect(live).toEqual(owned);
});
