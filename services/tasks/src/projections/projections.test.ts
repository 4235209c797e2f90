import { randomUUID } from 'node:crypto';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { mended, waysToBeWrong } from '@berth/testing/db/wrong-copies';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleChart } from '../../test/support/sample-charts.ts';
import { createProjections } from './projections.ts';

let database: OpenTestDatabase;
beforeAll(async () => {
  database = await openTestDatabase({ service: 'tasks', migrations: new URL('../../migrations/', import.meta.url) });
});
afterAll(() => database?.[Symbol.asyncDispose]());

const projections = createProjections({ notifyRunners: () => undefined });
const id = randomUUID();
const named = { id, name: 'one' };

const copies = [
  [
    'clusters',
    'k8s_cluster_projection',
    { ...named, env_id: null, is_ok: true, ignore: false, last_seen_at: '2026-01-01T00:00:00.000Z' },
  ],
  ['registries', 'helm_registry_projection', { id, kind_id: randomUUID() }],
  ['charts', 'helm_chart_projection', sampleChart({ id })],
  ['kinds', 'deployment_kind_projection', named],
  ['envs', 'env_projection', { ...named, node_selector: null, tolerations: null }],
] as const;

test.for(copies.flatMap(([of, table, row]) => waysToBeWrong.map((way) => ({ of, table, row, way }))))(
  'a copy of $of that $way equals its owner again',
  async ({ of, table, row, way }) => {
    const copy = { db: database.db, projection: projections[of], resource: of, table, row };

    const { live, owned } = await mended(copy, way);

    expect(live).toEqual(owned);
  },
);
