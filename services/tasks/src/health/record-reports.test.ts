import { randomUUID } from 'node:crypto';
import type { Transaction } from '@berth/db/database';
import { openTestDatabase } from '@berth/testing/open-test-database';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createHealthChanges } from '../store/health/health-repository.ts';
import { recordReports } from './record-reports.ts';

const migrations = new URL('../../migrations/', import.meta.url);
const many = 10_000;
const Read = z.object({ relname: z.string(), scanned: z.number(), fetched: z.number() });

const verbs = ['any', 'query'] as const;

/** The same transaction; notes each statement of the given verbs. */
const noting = (tx: Transaction, statements: string[]): Transaction => ({
  ...tx,
  ...Object.fromEntries(
    verbs.map((verb) => [
      verb,
      (query: { sql: string }) => {
        statements.push(query.sql);
        return Reflect.apply(tx[verb], tx, [query]);
      },
    ]),
  ),
});

test('among 10,000 deployments a report costs four statements, which read its deployment by an index', async () => {
  await using database = await openTestDatabase({ service: 'tasks', migrations });
  const { db } = database;
  const [clusterId, id] = [randomUUID(), randomUUID()];
  await db.query(sql.unsafe`
    insert into deployments (
      id, name, kind_id, env_id, cluster_id, namespace, helm_chart_id, config, state, installed_cluster_id,
      installed_namespace, health, health_state
    )
    select case when n = 1 then ${id} else gen_random_uuid() end, 'd' || n, gen_random_uuid(), gen_random_uuid(),
      ${clusterId}, 'web-' || n, gen_random_uuid(), '{}', 'Running', ${clusterId}, 'web-' || n,
      '{"state": "Healthy", "since": "2026-11-26T10:00:00.000Z", "reason": null, "causes": []}', 'Healthy'
    from generate_series(1, ${many}) n
  `);
  await db.query(sql.unsafe`vacuum (analyze) deployments`);
  const since = '2026-11-26T11:00:00.000Z';
  const cause = { kind: 'Pod', name: 'web', cause: 'OOMKilled', message: 'out of memory', since };
  const report = {
    deployment_id: id,
    cluster_id: clusterId,
    namespace: 'web-1',
    version: 2,
    health: { state: 'Degraded' as const, since, reason: 'out of memory', causes: [cause] },
  };
  const statements: string[] = [];

  const { verdicts, read } = await db.transaction(async (tx) => ({
    verdicts: await recordReports({ healthChanges: createHealthChanges(noting(tx, statements)) }, [report]),
    read: await tx.any(sql.type(Read)`
      select relname::text, seq_tup_read::int as scanned, coalesce(idx_tup_fetch, 0)::int as fetched
      from pg_stat_xact_user_tables where relname in ('deployments', 'outbox')
    `),
  }));

  expect(verdicts).toEqual(['recorded']);
  expect(statements.length, statements.join('\n')).toBeLessThanOrEqual(4);
  expect(read.map(({ relname }) => relname)).toContain('deployments');
  for (const { relname, scanned, fetched } of read) {
    expect(scanned, relname).toBe(0);
    expect(fetched, relname).toBeLessThan(20);
  }
});
