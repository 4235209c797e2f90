import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { deploymentUsage } from '@berth/contracts/resources/deployments/deployment-usage';
import { deployments } from '@berth/contracts/resources/deployments/deployments';
import { sampleIdentities } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { refusal } from '../support/refusal.ts';
import { sampleChart } from '../support/sample-charts.ts';
import { envId, otherEnvId, startTasksInTest, type TasksInTest, until } from '../support/tasks-in-test.ts';

let tasks: TasksInTest;
beforeAll(async () => {
  tasks = await startTasksInTest();
});
afterAll(() => tasks?.[Symbol.asyncDispose]());

const { siteAdmin, owner } = sampleIdentities;
const { update } = deployments.operations;

const envsOf = async (id: string) => ({
  deployment: (await tasks.deployment(id)).env_id,
  tasks: (
    await tasks.call(siteAdmin, deploymentTasks.operations.list, { query: { deployment_id: id, env_id: otherEnvId } })
  ).num_total,
});

describe('a cluster whose env was changed a moment ago', () => {
  test('gives its new env to deployments that are created right afterwards', async () => {
    for (let round = 0; round < 10; round += 1) {
      const cluster = await tasks.publish.cluster({ env_id: envId, name: 'changed' });
      const publish = tasks.holdBack.cluster({ ...cluster, env_id: otherEnvId });

      const { id } = await tasks.create({ cluster_id: cluster.id }, siteAdmin);

      expect(await envsOf(id)).toEqual({ deployment: otherEnvId, tasks: 1 });
      await publish();
    }
  });

  test('is invisible to an owner of its old env', async () => {
    const cluster = await tasks.publish.cluster({ env_id: envId, name: 'gone' });
    await tasks.create({ cluster_id: cluster.id }, owner);
    const { id } = await tasks.create({}, owner);
    tasks.holdBack.cluster({ ...cluster, env_id: otherEnvId });
    const noCluster = refusal('unprocessable', 'no such cluster', 'body.cluster_id');

    await expect(tasks.create({ cluster_id: cluster.id }, owner)).rejects.toEqual(noCluster);
    await expect(tasks.call(owner, update, { id, body: { cluster_id: cluster.id } })).rejects.toEqual(noCluster);
  });

  test('gives its new env to deployments that move to it', async () => {
    const cluster = await tasks.publish.cluster({ env_id: envId, name: 'target' });
    const { id } = await tasks.create({}, siteAdmin);
    tasks.holdBack.cluster({ ...cluster, env_id: otherEnvId });

    await tasks.call(siteAdmin, update, { id, body: { cluster_id: cluster.id } });

    expect(await tasks.deployment(id)).toMatchObject({ cluster_id: cluster.id, env_id: otherEnvId });
  });
});

test('changes that depend on a cluster fail while cluster-sync does not answer; others succeed', async () => {
  const { id } = await tasks.create({}, owner);
  tasks.answers.clusters = false;
  try {
    const unconfirmed = refusal('unavailable', 'could not be confirmed');
    await expect(tasks.create({}, owner)).rejects.toEqual(unconfirmed);
    await expect(tasks.call(owner, update, { id, body: { name: 'renamed' } })).rejects.toEqual(unconfirmed);

    const changed = await tasks.call(owner, update, { id, body: { config: { replicas: 3 } } });
    expect(changed).toMatchObject({ config: { replicas: 3 } });
  } finally {
    tasks.answers.clusters = true;
  }
});

test('a chart that was found a moment ago can be deployed at once', async () => {
  const chart = sampleChart();
  tasks.holdBack.chart(chart);

  await expect(tasks.create({ helm_chart_id: chart.id })).resolves.toMatchObject({ helm_chart_id: chart.id });
});

/** Resolves once a transaction waits for a lock of the cluster projection, or has it. */
async function untilUpdateArrives(clusterId: string): Promise<void> {
  const waits = sql.type(z.object({ n: z.number().int() }))`
    select (
      (select count(*) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%k8s_cluster_projection%')
      + (select count(*) from k8s_cluster_projection where id = ${clusterId} and env_id = ${otherEnvId})
    )::int as n
  `;
  await until(async () => (await tasks.database.db.one(waits)).n > 0);
}

test.for([
  ['created', async () => (cluster_id: string) => tasks.create({ cluster_id }, siteAdmin)],
  [
    'moved',
    async () => {
      const { id } = await tasks.installed();
      return (cluster_id: string) => tasks.call(siteAdmin, update, { id, body: { cluster_id } });
    },
  ],
] as const)(
  'a deployment that is being %s while its cluster changes env moves to the new env with its tasks',
  async ([, prepare]) => {
    const place = await prepare();
    const cluster = await tasks.publish.cluster({ env_id: envId, name: `held-${randomUUID()}` });
    const { db } = tasks.database;
    const held = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    // Blocks the last write of a request's transaction, so that its row is written but not committed.
    const holding = db.transaction(async (tx) => {
      await tx.query(sql.unsafe`lock table deployment_tasks in share row exclusive mode`);
      held.resolve();
      await release.promise;
    });
    await held.promise;
    const placed = place(cluster.id);
    await until(() =>
      db.exists(sql.unsafe`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%deployment_tasks%'
  `),
    );

    await tasks.publish.cluster({ ...cluster, env_id: otherEnvId });
    await untilUpdateArrives(cluster.id);
    release.resolve();
    await holding;
    const { id } = await placed;

    await until(async () => (await tasks.deployment(id)).env_id === otherEnvId);
    const open = await tasks.tasksOf(id);
    expect((await envsOf(id)).tasks).toBe(open.filter(({ status }) => status === 'Pending').length);

    await tasks.runAll();
    await tasks.publish.env({ id: otherEnvId, name: 'other', node_selector: { pool: randomUUID() } });
    const reinstall = { Reinstall: { reason: 'The placement of env other has changed' } };
    await until(async () => (await tasks.tasksOf(id)).some(({ operation }) => isDeepStrictEqual(operation, reinstall)));
    await tasks.runAll();
  },
);

test('after an owner counted no deployments on a cluster, none can be created there until the cluster is in another env', async () => {
  const cluster = await tasks.publish.cluster({ env_id: envId, name: 'leaving' });
  const elsewhere = await tasks.create();
  await tasks.clusterSync.call(deploymentUsage.operations.of_cluster, { body: { cluster_id: cluster.id } });

  await expect(tasks.create({ cluster_id: cluster.id })).rejects.toEqual(refusal('conflict', 'is being deleted'));
  const move = { id: elsewhere.id, body: { cluster_id: cluster.id } };
  await expect(tasks.call(owner, deployments.operations.update, move)).rejects.toEqual(refusal('conflict'));
  await tasks.publish.cluster({ ...cluster, env_id: otherEnvId });

  expect(await tasks.create({ cluster_id: cluster.id }, siteAdmin)).toMatchObject({ env_id: otherEnvId });
});
