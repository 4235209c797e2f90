import { randomUUID } from 'node:crypto';
import type { Identity } from '@berth/contracts/access/identity';
import type { RequestInput } from '@berth/contracts/definition/contract';
import { deploymentHealth, type ReportedHealthState } from '@berth/contracts/resources/deployments/deployment-health';
import { type Deployment, deployments } from '@berth/contracts/resources/deployments/deployments';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { sampleIdentities } from '@berth/testing/test-identities';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { envId, otherEnvId, startTasksInTest, type TasksInTest, until } from '../support/tasks-in-test.ts';

const { siteAdmin, envUser, owner, maintainer, outsider, bot } = sampleIdentities;

let tasks: TasksInTest;
beforeAll(async () => {
  tasks = await startTasksInTest();
});
afterAll(() => tasks?.[Symbol.asyncDispose]());

type DeploymentQuery = NonNullable<RequestInput<typeof deployments.operations.list>['query']>;
type TaskQuery = NonNullable<RequestInput<typeof deploymentTasks.operations.list>['query']>;

const listed = async (query: DeploymentQuery, as: Identity = owner) => {
  const { items, num_total } = await tasks.call(as, deployments.operations.list, { query });
  return { ids: items.map(({ id }) => id), num_total };
};
const listedTasks = async (query: TaskQuery, as: Identity = owner) => {
  const { items, num_total } = await tasks.call(as, deploymentTasks.operations.list, { query });
  return { ids: items.map(({ id }) => id), num_total };
};

describe('deployments by their ids', () => {
  test('are those that exist and that the caller sees, newest first', async () => {
    const first = await tasks.create();
    const second = await tasks.create();
    const there = await tasks.create({ cluster_id: tasks.otherClusterId }, siteAdmin);
    const ids = [first.id, second.id, there.id];

    expect(await listed({ ids: [...ids, randomUUID()].join() }, siteAdmin)).toEqual({
      ids: ids.toReversed(),
      num_total: 3,
    });
    expect(await listed({ ids })).toEqual({ ids: [second.id, first.id], num_total: 2 });
    expect(await listed({ ids, per_page: 1 })).toEqual({ ids: [second.id], num_total: 2 });
    expect(await listed({ ids, name: first.name })).toEqual({ ids: [first.id], num_total: 1 });
    expect(await listed({ ids: there.id })).toEqual({ ids: [], num_total: 0 });
    expect(await listed({ ids }, outsider)).toEqual({ ids: [], num_total: 0 });
  });

  test('are those that use a deployment themselves, as far as the caller sees them', async () => {
    const used = await tasks.create();
    const user = await tasks.create({ config: { replicas: 1, peer: used.id } });
    await tasks.create({ config: { replicas: 1, peer: user.id } });

    expect(await listed({ uses: used.id })).toEqual({ ids: [user.id], num_total: 1 });
    expect(await listed({ uses: used.id, enabled: false })).toEqual({ ids: [], num_total: 0 });
    expect(await listed({ uses: used.id }, outsider)).toEqual({ ids: [], num_total: 0 });
    expect(await listed({ uses: randomUUID() })).toEqual({ ids: [], num_total: 0 });
  });

  test('are refused if one of them is not a UUID', async () => {
    await expect(listed({ ids: `${randomUUID()},x` })).rejects.toMatchObject({
      code: 'invalid',
      errors: [{ path: 'query.ids', message: 'must be 1 to 100 UUIDs, separated by commas' }],
    });
    await expect(
      tasks.gateway.call(deployments.operations.list, { query: { ids: randomUUID() } }),
    ).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });
});

describe('deployments that need attention', () => {
  const publishCluster = (fields: object) =>
    tasks.publish.cluster({ id: tasks.clusterId, env_id: envId, name: 'prod', ingress_domain: null, ...fields });
  const report = (state: ReportedHealthState, ...of: Deployment[]) =>
    tasks.clusterSync.call(deploymentHealth.operations.report, {
      body: {
        reports: of.map(({ id, cluster_id, namespace }) => ({
          deployment_id: id,
          cluster_id,
          namespace,
          version: Date.now() * 1_000,
          health: { state, since: new Date().toISOString(), reason: null, causes: [] },
        })),
      },
    });
  /** Changes the deployment so that a task is queued, and fails that task. */
  const failing = async (change: () => Promise<Deployment>) => {
    await tasks.runAll();
    const { id } = await change();
    await tasks.finish(await tasks.claimed(), 'Failed', 'no');
    return await tasks.deployment(id);
  };
  const disabling = ({ id }: Deployment) =>
    tasks.call(owner, deployments.operations.update, { id, body: { enabled: false } });
  const isAttended = async ({ id }: Deployment) => {
    const [yes, no] = await Promise.all([true, false].map((needs_attention) => listed({ ids: id, needs_attention })));
    expect([yes?.ids, no?.ids].flat()).toEqual([id]);
    return yes?.ids.length === 1;
  };

  test('are those in error, and those whose health is Degraded', async () => {
    const failed = await failing(() => tasks.create());
    const degraded = await tasks.installed();
    const healthy = await tasks.installed();
    const progressing = await tasks.installed();
    const installing = await tasks.create();
    await report('Degraded', degraded);
    await report('Healthy', healthy);
    await report('Progressing', progressing);

    expect(failed.status).toBe('Error');
    for (const each of [failed, degraded]) expect(await isAttended(each)).toBe(true);
    for (const each of [healthy, progressing, installing]) expect(await isAttended(each)).toBe(false);
  });

  test('are not those that were disabled, unless their uninstall failed', async () => {
    const [degraded, stuck] = [await tasks.installed(), await tasks.installed()];
    await report('Degraded', degraded, stuck);
    expect(await isAttended(degraded)).toBe(true);

    const failed = await failing(() => disabling(stuck));
    await disabling(degraded);

    expect(failed).toMatchObject({ enabled: false, status: 'Error' });
    expect(await isAttended(failed)).toBe(true);
    expect((await tasks.deployment(degraded.id)).health?.state).toBe('Degraded');
    expect(await isAttended(degraded)).toBe(false);
  });

  test('are those whose cluster does not answer, until it does', async () => {
    const deployment = await tasks.installed();
    await report('Healthy', deployment);
    await publishCluster({ is_ok: false, not_ok_reason: 'connection refused' });
    await until(async () => (await tasks.deployment(deployment.id)).health?.state === 'Unknown');

    expect(await isAttended(deployment)).toBe(true);

    await publishCluster({ is_ok: true, not_ok_reason: null });
    await until(async () => {
      await report('Healthy', deployment);
      return (await tasks.deployment(deployment.id)).health?.state === 'Healthy';
    });
    expect(await isAttended(deployment)).toBe(false);
  });

  test('are counted without the others, and the others without them, where the caller sees them', async () => {
    const here = await failing(() => tasks.create());
    const there = await failing(() => tasks.create({ cluster_id: tasks.otherClusterId }, siteAdmin));
    await tasks.create();

    for (const as of [owner, siteAdmin, outsider]) {
      const all = await listed({ per_page: 100 }, as);
      const attended = await listed({ needs_attention: true, per_page: 100 }, as);
      const others = await listed({ needs_attention: 'false', per_page: 100 }, as);
      expect([...attended.ids, ...others.ids].toSorted()).toEqual(all.ids.toSorted());
      expect(await listed({ needs_attention: 'true', per_page: 1 }, as)).toEqual({
        ids: attended.ids.slice(0, 1),
        num_total: attended.ids.length,
      });
      expect(await listed({ needs_attention: false, per_page: 1 }, as)).toEqual({
        ids: others.ids.slice(0, 1),
        num_total: others.ids.length,
      });
    }
    expect((await listed({ needs_attention: true, env_id: otherEnvId }, siteAdmin)).ids).toEqual([there.id]);
    expect((await listed({ needs_attention: true })).ids).toContain(here.id);
    expect((await listed({ needs_attention: true })).ids).not.toContain(there.id);
  });

  test('are refused a word that is neither true nor false', async () => {
    const query = { needs_attention: 'perhaps' as 'true' };
    await expect(listed(query)).rejects.toMatchObject({ code: 'invalid', errors: [{ path: 'query.needs_attention' }] });
  });
});

describe('tasks', () => {
  const taskOf = async ({ id }: Deployment) => {
    const [task] = await tasks.tasksOf(id);
    if (!task) throw new Error('a deployment without a task');
    return task;
  };

  test('by their ids are those that exist and that the caller sees', async () => {
    const here = await taskOf(await tasks.create());
    const there = await taskOf(await tasks.create({ cluster_id: tasks.otherClusterId }, siteAdmin));
    const ids = [here.id, there.id];

    expect(await listedTasks({ ids: [...ids, randomUUID()] }, siteAdmin)).toEqual({
      ids: ids.toReversed(),
      num_total: 2,
    });
    expect(await listedTasks({ ids: ids.join() }, bot)).toEqual({ ids: ids.toReversed(), num_total: 2 });
    expect(await listedTasks({ ids }, envUser)).toEqual({ ids: [here.id], num_total: 1 });
    expect(await listedTasks({ ids: there.id })).toEqual({ ids: [], num_total: 0 });
    expect(await listedTasks({ ids, status: 'Done' }, siteAdmin)).toEqual({ ids: [], num_total: 0 });
    await expect(listedTasks({ ids: 'x' })).rejects.toMatchObject({ code: 'invalid', errors: [{ path: 'query.ids' }] });
  });

  test('of a user are those that the user created, where the caller sees them', async () => {
    const deployment = await tasks.create();
    const change = { id: deployment.id, body: { config: { replicas: 2 } } };
    await tasks.call(maintainer, deployments.operations.update, change);
    const [changed] = await tasks.tasksOf(deployment.id);
    const there = await taskOf(await tasks.create({ cluster_id: tasks.otherClusterId }, siteAdmin));

    expect(await listedTasks({ acting_user_id: maintainer.id })).toEqual({ ids: [changed?.id], num_total: 1 });
    const ofOwner = await listedTasks({ acting_user_id: owner.id, deployment_id: deployment.id, per_page: 1 });
    expect(ofOwner).toEqual({ ids: [(await tasks.tasksOf(deployment.id)).at(-1)?.id], num_total: 1 });
    expect((await listedTasks({ acting_user_id: siteAdmin.id }, siteAdmin)).ids).toContain(there.id);
    expect(await listedTasks({ acting_user_id: 'null', deployment_id: deployment.id })).toEqual({
      ids: [],
      num_total: 0,
    });
    const ofBot = await tasks.call(bot, deploymentTasks.operations.create, {
      body: { deployment_id: deployment.id, operation: { Reinstall: { reason: 'a bot asks' } } },
    });
    expect(await listedTasks({ acting_user_id: 'null', deployment_id: deployment.id })).toEqual({
      ids: [ofBot.id],
      num_total: 1,
    });
    expect(await listedTasks({ acting_user_id: siteAdmin.id })).toEqual({ ids: [], num_total: 0 });
    expect(await listedTasks({ acting_user_id: randomUUID() }, siteAdmin)).toEqual({ ids: [], num_total: 0 });
    await expect(listedTasks({ acting_user_id: 'me' })).rejects.toMatchObject({
      code: 'invalid',
      errors: [{ path: 'query.acting_user_id' }],
    });
  });
});
