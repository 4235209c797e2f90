import { AuditFilters, type AuditQuery } from '@berth/contracts/resources/audit/audit-events';
import { openTestDatabase } from '@berth/testing/open-test-database';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Queries } from '../database.ts';
import { statement } from '../statement.ts';
import { readAudit } from './read-audit.ts';

const migrations = new URL('../test-migrations/', import.meta.url);
const events = 20_000;
const rare = '00000000-0000-4000-8000-00000000000a';

interface Node {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number | undefined;
  Plans?: Node[] | undefined;
}
const Node: z.ZodType<Node> = z.looseObject({
  'Actual Rows': z.number(),
  'Actual Loops': z.number(),
  'Rows Removed by Filter': z.number().optional(),
  get Plans() {
    return z.array(Node).optional();
  },
});
const Explained = z.object({ 'QUERY PLAN': z.tuple([z.looseObject({ Plan: Node })]) });

/** The rows that the busiest step of a query reads. */
const mostRead = ({ Plans = [], ...node }: Node): number =>
  Math.max(
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    ...Plans.map((plan) => mostRead(plan)),
  );

/** What a filter asks for that only the oldest events have. */
const rareValues: Required<Omit<AuditQuery, 'per_page' | 'before'>> = {
  actor_id: rare,
  token_id: rare,
  resource: 'rarities',
  object_id: rare,
  env_id: rare,
  operation: 'collect',
  result: 'denied',
  from: '2100-01-01T00:00:00.000Z',
  to: '2000-01-01T00:00:00.000Z',
};

test('each filter of audit events reads little more than its page, however long the log is', async () => {
  await using database = await openTestDatabase({ service: 'tasks', migrations });
  const { db } = database;
  await db.query(statement`
    insert into audit_log (at, actor_kind, actor_id, token_id, action, resource, object_id, env_id, details, result)
    select now() - n * interval '1 second', 'user', case when is_rare then ${rare} else gen_random_uuid() end,
      case when is_rare then ${rare}::uuid when n % 2 = 0 then gen_random_uuid() end,
      case when is_rare then 'collect' else 'update' end, case when is_rare then 'rarities' else 'boats' end,
      case when is_rare then ${rare} else gen_random_uuid() end, case when is_rare then ${rare} else gen_random_uuid() end,
      '{}', case when is_rare then 'denied' else 'done' end
    from generate_series(1, ${events}) n, lateral (select n > ${events - 5} as is_rare) r
  `);
  await db.query(sql.unsafe`vacuum (analyze) audit_log`);
  const read: Record<string, number> = {};
  async function readBy(name: string, query: AuditQuery): Promise<void> {
    const explaining: Pick<Queries, 'any'> = {
      any: async (statement) => {
        const explained = { ...statement, sql: `explain (analyze, format json) ${statement.sql}` };
        const [row] = await db.any({ ...explained, parser: sql.type(Explained)``.parser });
        if (row) read[name] = mostRead(row['QUERY PLAN'][0].Plan);
        return [];
      },
    };
    await readAudit(explaining, 'tasks', { visible: 'all', query });
  }
  for (const [name, value] of Object.entries(rareValues)) await readBy(name, { [name]: value });

  expect(Object.keys(read)).toEqual(Object.keys(AuditFilters.shape));
  expect(Object.entries(read).filter(([, rows]) => rows > 100)).toEqual([]);
});
