import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { deployments } from '@berth/contracts/resources/deployments/deployments';
import type { RequestedOperation } from '@berth/contracts/resources/tasks/task-operation';
import { sampleIdentities } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { refusal } from '../support/refusal.ts';
import { sampleChart } from '../support/sample-charts.ts';
import { envId, startTasksInTest, type TasksInTest, until } from '../support/tasks-in-test.ts';

let tasks: TasksInTest;
beforeAll(async () => {
  tasks = await startTasksInTest();
});
afterAll(() => tasks?.[Symbol.asyncDispose]());

const { siteAdmin, owner, maintainer, envUser, bot } = sampleIdentities;
const { update, delete: remove } = deployments.operations;
const { create, get, cancel, retry } = deploymentTasks.operations;

const reinstall: RequestedOperation = { Reinstall: { reason: 'to be sure' } };
const upgradeTo = (replicas: number): RequestedOperation => ({
  Upgrade: { helm_chart_id: tasks.chartId, config_inputs: { replicas }, values_override: null },
});
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
const request = (deployment_id: string, operation: RequestedOperation, execute_at?: string) =>
  tasks.call(owner, create, { body: { deployment_id, operation, ...(execute_at !== undefined && { execute_at }) } });

const operationsOf = async (id: string) =>
  (await tasks.tasksOf(id)).map(({ operation }) => Object.keys(operation)[0]).toReversed();

describe('changing', () => {
  test('a change of config, chart or override makes one Upgrade that names the difference, and its answer says that it is queued', async () => {
    const { id } = await tasks.installed();
    const chart = await tasks.publish.chart(sampleChart({ image_tag: '2.0.0' }));

    const answer = await tasks.call(owner, update, {
      id,
      body: { config: { replicas: 3 }, helm_chart_id: chart.id, values_override: { a: 1 } },
    });

    expect(answer).toMatchObject({ status: 'Running', reason: 'Task: Upgrade is queued' });
    const [upgrade] = await tasks.tasksOf(id);
    expect(upgrade?.operation).toEqual({
      Upgrade: {
        helm_chart_id: chart.id,
        prev_helm_chart_id: tasks.chartId,
        config_inputs: { replicas: 3 },
        config_delta: { replicas: [1, 3] },
        values_override: { a: 1 },
      },
    });
    const claimed = await tasks.claimed();
    expect(claimed).toMatchObject({ chart: { version: '2.0.0' }, values: { replicaCount: 3, a: 1 } });
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Upgrading' });
    await tasks.finish(claimed);
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running', revision_id: claimed.task_id });
  });

  test('the recorded snapshot is run, despite later changes', async () => {
    const { id } = await tasks.installed();
    await tasks.call(owner, update, { id, body: { config: { replicas: 2 } } });
    await tasks.call(owner, update, { id, body: { config: { replicas: 3 } } });

    const [first, second] = await tasks.runAll();

    expect([first?.values, second?.values]).toMatchObject([{ replicaCount: 2 }, { replicaCount: 3 }]);
  });

  test('a new description, and values that are already set, create no task', async () => {
    const { id, config, name } = await tasks.installed();

    const described = await tasks.call(owner, update, { id, body: { description_md: '# hi', config, name } });

    expect(described).toMatchObject({ description_md: '# hi', status: 'Running' });
    expect(await operationsOf(id)).toEqual(['Install']);
  });

  test('a rename removes the old namespace, then installs in the new one', async () => {
    const { id } = await tasks.installed({ name: 'old-name' });

    const renamed = await tasks.call(owner, update, { id, body: { name: 'new-name' } });

    expect(renamed).toMatchObject({ name: 'new-name', namespace: 'web-new-name' });
    const recreate = await tasks.claimed();
    expect(recreate).toMatchObject({ action: 'uninstall', delete_namespace: true, namespace: 'web-old-name' });
    expect(await tasks.claim()).toBeNull();
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Renaming' });
    await tasks.finish(recreate);
    const upgrade = await tasks.claimed();
    expect(upgrade).toMatchObject({ action: 'deploy', namespace: 'web-new-name', deployment_name: 'new-name' });
    await tasks.finish(upgrade);
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running', revision_id: upgrade.task_id });
    expect(await operationsOf(id)).toEqual(['Install', 'Recreate', 'Upgrade']);
  });

  test('a move waits for both clusters and removes the old release first', async () => {
    const { id, namespace } = await tasks.installed();
    const target = await tasks.publish.cluster({ env_id: envId, name: 'target', is_ok: false });

    await tasks.call(owner, update, { id, body: { cluster_id: target.id } });

    expect(await tasks.claim()).toBeNull();
    const [, recreate] = await tasks.tasksOf(id);
    expect(recreate?.reason).toMatch(/^cluster target not reachable since /);
    await tasks.publish.cluster({ ...target, is_ok: true });
    const first = await tasks.claimed();
    expect(first).toMatchObject({ action: 'uninstall', cluster_id: tasks.clusterId, namespace });
    await tasks.finish(first);
    expect(await tasks.claimed()).toMatchObject({ action: 'deploy', cluster_id: target.id, namespace });
  });

  test('scheduled tasks move with their deployment and become invisible to the owner of its old env', async () => {
    const { id } = await tasks.installed();
    const later = await request(id, upgradeTo(2), tomorrow());
    const again = await request(id, reinstall, tomorrow());

    await tasks.call(siteAdmin, update, { id, body: { cluster_id: tasks.otherClusterId } });

    const moved = { cluster_id: tasks.otherClusterId, status: 'Pending' };
    for (const task of [later, again]) {
      expect(await tasks.task(task.id)).toMatchObject(moved);
      await expect(tasks.call(owner, get, { id: task.id })).rejects.toEqual(refusal('not_found'));
    }
    const recreate = (await tasks.tasksOf(id)).find(({ operation }) => 'Recreate' in operation);
    await tasks.call(siteAdmin, cancel, { id: recreate?.id ?? '' });
    expect(await tasks.task(later.id)).toMatchObject({ cluster_id: tasks.clusterId, status: 'Pending' });
  });

  test('a Reinstall counts for the cluster on which it runs, even after a failed move', async () => {
    const { id } = await tasks.installed();
    const target = await tasks.publish.cluster({ env_id: envId, name: 'next' });
    await tasks.call(owner, update, { id, body: { cluster_id: target.id } });
    const again = await request(id, reinstall);
    expect(again).toMatchObject({ cluster_id: target.id });
    await tasks.finish(await tasks.claimed(), 'Failed', 'a finalizer holds the namespace');

    const claimed = await tasks.claimed();

    expect(claimed).toMatchObject({ task_id: again.id, action: 'deploy', cluster_id: tasks.clusterId });
    expect(await tasks.task(again.id)).toMatchObject({ cluster_id: tasks.clusterId });
    await tasks.finish(claimed);
  });

  test('a waiting Uninstall stays with the release when a disabled deployment moves', async () => {
    const { id } = await tasks.installed();
    const target = await tasks.publish.cluster({ env_id: envId, name: 'unreachable', is_ok: false });
    await tasks.call(owner, update, { id, body: { enabled: false } });

    await tasks.call(owner, update, { id, body: { cluster_id: target.id } });

    expect(await tasks.runAll()).toMatchObject([{ action: 'uninstall', cluster_id: tasks.clusterId }]);
  });

  test('lists show the tasks of one change in their order, newest first', async () => {
    const { id } = await tasks.installed();
    for (let n = 0; n < 8; n += 1) {
      await tasks.call(owner, update, { id, body: { name: `o${n}${id.slice(0, 8)}` } });

      const [upgrade, recreate] = await tasks.tasksOf(id);
      expect([recreate, upgrade].map((task) => Object.keys(task?.operation ?? {})[0])).toEqual(['Recreate', 'Upgrade']);
      expect(Date.parse(upgrade?.created_at ?? '')).toBeGreaterThan(Date.parse(recreate?.created_at ?? ''));
      await tasks.runAll();
    }
  });

  test('a failed Recreate cancels the tasks that need it', async () => {
    const { id } = await tasks.installed();
    await tasks.call(owner, update, { id, body: { name: `r${id.slice(0, 8)}` } });

    await tasks.finish(await tasks.claimed(), 'Failed', 'a finalizer holds the namespace');

    const [upgrade, recreate] = await tasks.tasksOf(id);
    expect(recreate).toMatchObject({ status: 'Failed' });
    expect(upgrade).toMatchObject({ status: 'Canceled', reason: 'The Recreate before it failed' });
    expect(await tasks.deployment(id)).toMatchObject({
      status: 'Error',
      reason: 'Recreate failed: a finalizer holds the namespace',
    });
  });

  test('a change after a failed Recreate first removes the release that was left behind', async () => {
    const { id, namespace } = await tasks.installed();
    await tasks.call(owner, update, { id, body: { name: `s${id.slice(0, 8)}` } });
    await tasks.finish(await tasks.claimed(), 'Failed', 'it did not work');

    await tasks.call(owner, update, { id, body: { config: { replicas: 5 } } });

    const [recreate, upgrade] = await tasks.runAll();
    expect(recreate).toMatchObject({ action: 'uninstall', namespace });
    expect(upgrade).toMatchObject({ action: 'deploy', namespace: `web-s${id.slice(0, 8)}` });
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running' });
  });

  test('a retry first removes a release that could not be removed before', async () => {
    const { id, namespace } = await tasks.installed();
    for (const body of [{ enabled: false }, { name: `t${id.slice(0, 8)}` }, { enabled: true }]) {
      await tasks.call(owner, update, { id, body });
    }
    await tasks.finish(await tasks.claimed(), 'Failed', 'a finalizer holds the namespace');

    expect(await tasks.claim()).toBeNull();

    const [install] = await tasks.tasksOf(id);
    expect(install).toMatchObject({ status: 'Failed', reason: expect.stringContaining(`namespace ${namespace}`) });
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Error', reason: expect.stringContaining('retry') });
    await expect(tasks.create({ name: namespace.slice('web-'.length) })).rejects.toEqual(
      refusal('conflict', namespace),
    );
    await tasks.call(owner, retry, { id: install?.id ?? '' });
    expect(await tasks.runAll()).toMatchObject([
      { action: 'uninstall', namespace },
      { action: 'deploy', namespace: `web-t${id.slice(0, 8)}` },
    ]);
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running', enabled: true });
  });

  test('disabling uninstalls, and enabling installs with the changes made meanwhile', async () => {
    const { id, namespace } = await tasks.installed();

    await tasks.call(owner, update, { id, body: { enabled: false } });
    const uninstall = await tasks.claimed();
    expect(uninstall).toMatchObject({
      action: 'uninstall',
      delete_namespace: true,
      namespace,
      chart: null,
      values: {},
    });
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Uninstalling', enabled: false });
    await tasks.finish(uninstall);
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Uninstalled', revision_id: null });

    await tasks.call(owner, update, { id, body: { config: { replicas: 4 } } });
    expect(await tasks.claim()).toBeNull();
    await tasks.call(owner, update, { id, body: { enabled: true } });
    expect(await tasks.claimed()).toMatchObject({ action: 'deploy', namespace, values: { replicaCount: 4 } });
    expect(await operationsOf(id)).toEqual(['Install', 'Uninstall', 'Install']);
  });

  test('maintainers change chart and config; owners also change place, enabled and override', async () => {
    const { id } = await tasks.installed();
    const by = (identity: typeof owner | typeof bot, body: Parameters<typeof tasks.call<typeof update>>[2]['body']) =>
      tasks.call(identity, update, { id, body });

    for (const identity of [maintainer, bot]) {
      await expect(by(identity, { config: { replicas: identity === bot ? 7 : 6 } })).resolves.toMatchObject({ id });
      for (const body of [{ enabled: false }, { name: 'other' }, { values_override: { a: 1 } }]) {
        await expect(by(identity, body)).rejects.toEqual(refusal('forbidden', 'owner'));
      }
      await expect(by(identity, { enabled: true })).resolves.toMatchObject({ enabled: true });
    }
    await expect(by(envUser, { config: { replicas: 6 } })).rejects.toEqual(refusal('forbidden', 'maintainer'));
    await expect(by(owner, { cluster_id: tasks.otherClusterId })).rejects.toEqual(
      refusal('unprocessable', 'no such cluster', 'body.cluster_id'),
    );
  });

  test('a stale If-Match changes nothing', async () => {
    const { id } = await tasks.installed();

    const stale = tasks.call(owner, update, { id, body: { config: { replicas: 9 } } }, { ifMatch: '"stale"' });

    await expect(stale).rejects.toEqual(refusal('stale'));
    expect(await tasks.deployment(id)).toMatchObject({ config: { replicas: 1 } });
  });

  test('refuses to disable or move a deployment that others use', async () => {
    const used = await tasks.installed({ name: 'used' });
    const user = await tasks.installed({ name: 'user', config: { replicas: 1, peer: used.id } });
    const change = (body: Parameters<typeof tasks.call<typeof update>>[2]['body']) =>
      tasks.call(siteAdmin, update, { id: used.id, body });

    await expect(change({ enabled: false })).rejects.toEqual(refusal('conflict', 'web-user'));
    await expect(change({ cluster_id: tasks.otherClusterId })).rejects.toEqual(refusal('conflict', 'web-user'));
    await expect(tasks.call(owner, remove, { id: used.id })).rejects.toEqual(refusal('conflict', 'web-user'));

    await tasks.call(owner, update, { id: user.id, body: { enabled: false } });
    await expect(change({ enabled: false })).resolves.toMatchObject({ enabled: false });
  });

  test('deployments that use each other in a circle do not hold each other, but other dependents do', async () => {
    const names = ['one', 'two', 'three'].map((name) => `circle-${name}`);
    const [one, two, three] = await Promise.all(names.map((name) => tasks.create({ name })));
    if (!one || !two || !three) throw new Error('three were created');
    const use = (id: string, peer: string) =>
      tasks.call(owner, update, { id, body: { config: { replicas: 1, peer } } });
    await use(one.id, two.id);
    await use(two.id, three.id);
    await use(three.id, one.id);
    const user = await tasks.create({ name: 'circle-user', config: { replicas: 1, peer: one.id } });
    await tasks.runAll();

    const disable = (id: string) => tasks.call(owner, update, { id, body: { enabled: false } });
    await expect(disable(one.id)).rejects.toEqual(refusal('conflict', 'use it: web-circle-user'));
    await expect(tasks.call(owner, remove, { id: one.id })).rejects.toEqual(refusal('conflict', 'web-circle-user'));
    await tasks.call(owner, remove, { id: user.id });

    await disable(one.id);
    await tasks.call(owner, remove, { id: two.id });
    await tasks.call(owner, remove, { id: three.id });
    await tasks.call(owner, remove, { id: one.id });
    await tasks.runAll();
    for (const { id } of [one, two, three]) await expect(tasks.deployment(id)).rejects.toEqual(refusal('not_found'));
  });

  test('dependents of a changed deployment are reinstalled once, when its change is done', async () => {
    const used = await tasks.installed({ name: 'base' });
    const user = await tasks.installed({ name: 'top', config: { replicas: 1, peer: used.id } });
    await tasks.call(owner, update, { id: used.id, body: { name: 'base-two' } });
    await tasks.call(owner, update, { id: used.id, body: { config: { replicas: 2 } } });
    expect(await operationsOf(user.id)).toEqual(['Install']);

    const run = await tasks.runAll();

    const again = run.filter(({ deployment_id }) => deployment_id === user.id);
    expect(again).toMatchObject([
      {
        action: 'deploy',
        namespace: 'web-top',
        values: { peer: { name: 'base-two' }, berth: { revision_id: user.revision_id } },
      },
    ]);
    expect(await operationsOf(user.id)).toEqual(['Install', 'Reinstall']);
    expect(await tasks.deployment(user.id)).toMatchObject({ status: 'Running', revision_id: user.revision_id });
  });

  test('the end of a change and a change of a dependent do not deadlock', async () => {
    const used = await tasks.installed();
    const user = await tasks.installed({ config: { replicas: 1, peer: used.id } });
    await tasks.call(owner, update, { id: used.id, body: { config: { replicas: 2 } } });
    const claimed = await tasks.claimed();
    const row = sql.type(z.object({ id: z.string() }));
    const waitsForUs = row`
      select pid::text as id from pg_locks where not granted and transactionid = pg_current_xact_id()::xid
    `;

    // Locks like a change of the dependent: its row, then the rows to which it refers, so that they are not disabled or deleted
    // meanwhile.
    const finished = await tasks.database.db.transaction(async (tx) => {
      await tx.one(row`select id from deployments where id = ${user.id} for update`);
      const finish = tasks.finish(claimed);
      finish.catch(() => undefined);
      await until(() => tx.exists(waitsForUs));
      await tx.one(row`select id from deployments where id = ${used.id} for key share nowait`);
      return { finish };
    });

    await finished.finish;
    expect(await operationsOf(user.id)).toEqual(['Install', 'Reinstall']);
    await tasks.runAll();
  });

  test('the end of a change and a cluster that moves to another env do not deadlock', async () => {
    const used = await tasks.installed();
    const config = { replicas: 1, peer: used.id };
    let user = await tasks.installed({ config });
    while (user.id < used.id) user = await tasks.installed({ config });
    await tasks.call(owner, update, { id: used.id, body: { config: { replicas: 2 } } });
    const claimed = await tasks.claimed();
    const row = sql.type(z.object({ id: z.string() }));
    const waitsForUs = row`
      select pid::text as id from pg_locks where not granted and transactionid = pg_current_xact_id()::xid
    `;

    // Locks like the projection of a cluster: its deployments in the order of ids.
    const finished = await tasks.database.db.transaction(async (tx) => {
      await tx.one(row`select id from deployments where id = ${used.id} for no key update`);
      const finish = tasks.finish(claimed);
      finish.catch(() => undefined);
      await until(() => tx.exists(waitsForUs));
      await tx.one(row`select id from deployments where id = ${user.id} for no key update nowait`);
      return { finish };
    });

    await finished.finish;
    expect(await operationsOf(user.id)).toEqual(['Install', 'Reinstall']);
    await tasks.runAll();
  });

  test('a chart may opt out of reinstalling dependents', async () => {
    const chart = await tasks.publish.chart(sampleChart({ features: { reinstall_dependencies: false } }));
    const used = await tasks.installed({ helm_chart_id: chart.id });
    const user = await tasks.installed({ config: { replicas: 1, peer: used.id } });

    await tasks.call(owner, update, { id: used.id, body: { config: { replicas: 2 } } });
    await tasks.runAll();

    expect(await operationsOf(user.id)).toEqual(['Install']);
  });

  test('a deployment whose chart has a form that is no longer accepted can be disabled, but not reinstalled or changed', async () => {
    const chart = await tasks.publish.chart(sampleChart());
    const { id } = await tasks.installed({ helm_chart_id: chart.id });
    await tasks.publish.chart({
      ...chart,
      values_ui: null,
      error: 'berth/values-ui.yaml: inputs[0].showIf is too large',
    });
    const isSeen = sql.type(
      z.object({}),
    )`select from helm_chart_projection where id = ${chart.id} and error is not null`;
    await until(() => tasks.database.db.exists(isSeen));

    const again = await request(id, reinstall);
    expect(await tasks.claim()).toBeNull();
    expect(await tasks.task(again.id)).toMatchObject({
      status: 'Failed',
      reason: expect.stringContaining('too large'),
    });
    await expect(tasks.call(owner, update, { id, body: { config: { replicas: 2 } } })).rejects.toEqual(
      refusal('unprocessable', 'the chart has an error', 'body.helm_chart_id'),
    );
    await tasks.call(owner, update, { id, body: { enabled: false } });
    expect(await tasks.runAll()).toMatchObject([{ action: 'uninstall' }]);
  });

  test('a deployment whose chart has a form that only older rules accepted can be described and disabled, but not configured', async () => {
    const chart = await tasks.publish.chart(sampleChart());
    const { id } = await tasks.installed({ helm_chart_id: chart.id });
    await tasks.withdraw({ ...chart, values_ui: { inputs: 'as it was once' } });

    await tasks.call(owner, update, { id, body: { description_md: 'to be removed' } });
    await expect(tasks.call(owner, update, { id, body: { config: { replicas: 2 } } })).rejects.toEqual(
      refusal('unprocessable', 'the chart has an error', 'body.helm_chart_id'),
    );
    await tasks.call(owner, update, { id, body: { enabled: false } });

    expect(await tasks.runAll()).toMatchObject([{ action: 'uninstall' }]);
  });

  test('a changed node selector or changed tolerations of an env reinstall all its deployments, an unchanged placement reinstalls none', async () => {
    const env = await tasks.publish.env({ id: crypto.randomUUID(), name: 'moving' });
    const { id: cluster_id } = await tasks.publish.cluster({ env_id: env.id, name: 'moving' });
    const { id } = await tasks.create({ cluster_id }, siteAdmin);
    await tasks.runAll();

    await tasks.publish.env({ ...env, name: 'renamed' });
    await tasks.publish.env({ ...env, node_selector: { pool: 'new' } });

    const moved = await tasks.claimed();
    expect(moved).toMatchObject({ deployment_id: id, values: { nodeSelector: { pool: 'new' } } });
    expect(await operationsOf(id)).toEqual(['Install', 'Reinstall']);
    await tasks.finish(moved);

    const tolerations = [{ key: 'gpu', operator: 'Exists' as const }];
    await tasks.publish.env({ ...env, node_selector: { pool: 'new' }, tolerations });

    expect(await tasks.claimed()).toMatchObject({ deployment_id: id, values: { tolerations } });
    expect(await operationsOf(id)).toEqual(['Install', 'Reinstall', 'Reinstall']);
  });
});
