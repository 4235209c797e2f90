import { isDeepStrictEqual } from 'node:util';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { statement } from '@berth/db/statement';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertCluster, insertDeployment } from '../../../test/support/sample-rows.ts';
import { readingStore } from '../store.ts';

const migrations = new URL('../../../migrations/', import.meta.url);

let database: OpenTestDatabase;
beforeAll(async () => {
  database = await openTestDatabase({ service: 'tasks', migrations });
});
afterAll(() => database?.[Symbol.asyncDispose]());

type Edge = readonly [user: number, used: number];
const nodes = [0, 1, 2];
const edges: Edge[] = nodes.flatMap((user) =>
  nodes.filter((used) => used !== user).map((used) => [user, used] as const),
);
const graphs = Array.from({ length: 2 ** edges.length }, (_, bits) => edges.filter((_edge, at) => bits & (2 ** at)));

function reachedFrom(node: number, graph: readonly Edge[], seen = new Set([node])): Set<number> {
  for (const [user, used] of graph) if (user === node && !seen.has(used)) reachedFrom(used, graph, seen.add(used));
  return seen;
}

test('in every graph of three deployments, a deployment is held by dependents that it does not use itself, and all can be removed one by one', async () => {
  const { db } = database;
  const { references } = readingStore(db);
  const cluster = await insertCluster(db);
  const wrong: string[] = [];

  for (const graph of graphs) {
    const ids: string[] = [];
    for (const _ of nodes) ids.push(await insertDeployment(db, cluster));
    for (const [user, used] of graph) {
      await db.query(statement`
        insert into deployment_references (deployment_id, input, collection, item_id)
        values (${ids[user] ?? ''}, ${`peer${used}`}, 'deployments', ${ids[used] ?? ''})
      `);
    }
    const left = new Set(nodes);
    while (left.size > 0) {
      const present = graph.filter(([user]) => left.has(user));
      const holders = new Map<number, number[]>();
      for (const node of left) {
        const found = await references.enabledDependentsOutsideCircle(ids[node] ?? '');
        const circle = reachedFrom(node, present);
        const expected = present.filter(([user, used]) => used === node && !circle.has(user)).map(([user]) => user);
        holders.set(node, expected);
        const actual = found.map(({ id }) => ids.indexOf(id));
        if (!isDeepStrictEqual(new Set(actual), new Set(expected))) {
          wrong.push(`${node} in ${JSON.stringify(present)}: ${actual.join(' ')}`);
        }
      }
      const free = [...left].find((node) => holders.get(node)?.length === 0);
      if (free === undefined) wrong.push(`nobody can go: ${JSON.stringify(present)}`);
      const gone = free ?? [...left][0] ?? 0;
      left.delete(gone);
      await db.query(statement`delete from deployments where id = ${ids[gone] ?? ''}`);
    }
  }

  expect(wrong).toEqual([]);
});
