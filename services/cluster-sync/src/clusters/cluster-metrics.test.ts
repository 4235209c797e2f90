import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { Registry } from 'prom-client';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClusterMetrics } from './cluster-metrics.ts';
import { createClusterRepository } from './cluster-repository.ts';
import { observeClusters } from './observe-clusters.ts';

let database: OpenTestDatabase;
beforeAll(async () => {
  database = await openTestDatabase({
    service: 'cluster-sync',
    migrations: new URL('../../migrations/', import.meta.url),
  });
});
afterAll(() => database?.[Symbol.asyncDispose]());

async function shown(): Promise<string> {
  const registry = new Registry();
  const end = new AbortController();
  const metrics = createClusterMetrics(registry);
  const observed = Promise.withResolvers<void>();
  const loop = observeClusters({
    clusterRepository: createClusterRepository(database.db),
    metrics: {
      observed(rows) {
        metrics.observed(rows);
        observed.resolve();
      },
    },
  })(end.signal);
  await observed.promise;
  end.abort();
  await loop;
  return registry.metrics();
}

test('each replica shows the state of all clusters and when each one last answered', async () => {
  await database.db.query(sql.unsafe`
    insert into k8s_clusters (provider_id, name, region_name, ignore, is_ok, not_ok_reason, followed, last_seen_at) values
      ('t:1', 'works', 'r', false, true, null, true, '2026-01-01T00:00:10Z'),
      ('t:2', 'loads', 'r', false, true, null, false, '2026-01-01T00:00:20Z'),
      ('t:3', 'silent', 'r', false, false, 'late', false, '2026-01-01T00:00:00Z'),
      ('t:4', 'left', 'r', true, false, 'late', false, '2025-01-01T00:00:00Z')
  `);

  const page = await shown();

  for (const state of ['ok', 'behind', 'not_ok', 'ignored'])
    expect(page).toContain(`berth_clusters{state="${state}"} 1`);
  const at = Date.parse('2026-01-01T00:00:00Z') / 1_000;
  expect(page).toContain(`berth_cluster_last_seen_timestamp_seconds{berth_cluster="silent"} ${at}`);
  expect(page).toContain(`berth_cluster_last_seen_timestamp_seconds{berth_cluster="works"} ${at + 10}`);
  expect(page).not.toContain('berth_cluster="left"');
});

test('probes are counted by the cause of their failure', async () => {
  const registry = new Registry();
  const metrics = createClusterMetrics(registry);

  metrics.probed({ kind: 'answered' });
  metrics.probed({ kind: 'failed', reason: 'late', cause: 'timeout' });
  metrics.probed({ kind: 'unusable', reason: 'no credential' });

  const page = await registry.metrics();
  for (const cause of ['ok', 'timeout', 'unusable']) {
    expect(page).toContain(`berth_cluster_probes_total{cause="${cause}"} 1`);
  }
});
