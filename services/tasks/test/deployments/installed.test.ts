import { randomUUID } from 'node:crypto';
import type { Identity } from '@berth/contracts/access/identity';
import { deploymentPlace } from '@berth/contracts/resources/deployments/deployment-place';
import { deploymentResources } from '@berth/contracts/resources/deployments/deployment-resources';
import { deploymentResourceTypes } from '@berth/contracts/resources/deployments/deployment-resource-types';
import { deploymentState } from '@berth/contracts/resources/deployments/deployment-state';
import { type DeploymentChanges, deployments } from '@berth/contracts/resources/deployments/deployments';
import { secrets } from '@berth/contracts/resources/deployments/secrets';
import { shownTexts } from '@berth/contracts/resources/deployments/shown-texts';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { resourceCalls } from '@berth/contracts/resources/tasks/resource-calls';
import { audited } from '@berth/testing/db/audited';
import { sampleIdentities } from '@berth/testing/test-identities';
import { statement } from '@berth/db/statement';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refusal } from '../support/refusal.ts';
import { databaseTypes } from '../support/resource-charts.ts';
import { sampleChart } from '../support/sample-charts.ts';
import { envId, otherEnvId, startTasksInTest, type TasksInTest, until } from '../support/tasks-in-test.ts';

const { siteAdmin, owner, maintainer } = sampleIdentities;
const resource_types = JSON.parse(JSON.stringify(databaseTypes));
const byName = sampleChart({
  features: { ingress: { enabled: true, hostname_format: 'Name' } },
  values_ui: null,
  resource_types,
});
const byKind = sampleChart({ ...byName, features: { ingress: { enabled: true } }, id: crypto.randomUUID() });

let tasks: TasksInTest;
beforeAll(async () => {
  tasks = await startTasksInTest();
  await tasks.publish.cluster({ id: tasks.clusterId, env_id: envId, ingress_domain: 'apps.example.com' });
  for (const { id } of [await tasks.publish.chart(byName), await tasks.publish.chart(byKind)]) {
    await until(() => tasks.database.db.exists(statement`select from helm_chart_projection where id = ${id}`));
  }
});
afterAll(() => tasks?.[Symbol.asyncDispose]());

const change = (id: string, body: DeploymentChanges) =>
  tasks.call(siteAdmin, deployments.operations.update, { id, body });
const newest = async (id: string) => {
  const [task] = await tasks.tasksOf(id);
  if (!task) throw new Error('no task');
  return task;
};

/** The next task fails after Helm began: what runs may be the old or the new. */
async function failsInHelm(): Promise<void> {
  const task = await tasks.claimed();
  await tasks.beginHelm(task);
  await tasks.finish(task, 'Failed', 'the pods never got ready');
}

describe('the hostname of a release', () => {
  const taken = refusal('conflict', 'Another deployment of the cluster has the hostname');

  test('stays reserved after a change to another one has failed, and calls go to it', async () => {
    const { id } = await tasks.installed({ name: 'web-one', helm_chart_id: byName.id });
    await change(id, { helm_chart_id: byKind.id });
    await failsInHelm();

    await expect(tasks.create({ name: 'one', helm_chart_id: byKind.id })).rejects.toEqual(taken);
    const type = await tasks.call(siteAdmin, deploymentResourceTypes.operations.list, { query: { key: 'database' } });
    await tasks.call(siteAdmin, deploymentResources.operations.create, {
      body: { type_id: type.items[0]?.id ?? '', deployment_id: id, name: 'db', props: { size: 2 } },
    });
    const { calls } = await tasks.runner.call(resourceCalls.operations.claim, { body: { lane: 'quick', places: 3 } });
    expect(calls.map(({ call }) => call.host)).toEqual(['web-one.apps.example.com']);
    // The failed Upgrade may have made its Ingress.
    await expect(tasks.create({ name: 'web-web-one', helm_chart_id: byName.id })).rejects.toEqual(taken);
  });

  test('is free once another one is installed, or the release is gone', async () => {
    const { id } = await tasks.installed({ name: 'web-two', helm_chart_id: byName.id });
    await change(id, { helm_chart_id: byKind.id });
    await tasks.runAll();
    const second = await tasks.installed({ name: 'two', helm_chart_id: byKind.id });
    await change(second.id, { enabled: false });
    await failsInHelm();
    await change(second.id, { helm_chart_id: tasks.chartId, config: { replicas: 1 } });
    await expect(change(id, { helm_chart_id: byName.id })).rejects.toEqual(taken);

    await tasks.call(siteAdmin, deploymentTasks.operations.retry, { id: (await newest(second.id)).id });
    await tasks.runAll();
    await change(id, { helm_chart_id: byName.id });
  });

  test('stays reserved while a rename waits, so that the rename can be canceled', async () => {
    const { id } = await tasks.installed({ name: 'web-three', helm_chart_id: byName.id });
    await change(id, { name: 'renamed-three' });
    await expect(tasks.create({ name: 'three', helm_chart_id: byKind.id })).rejects.toEqual(taken);

    const recreate = (await tasks.tasksOf(id)).find(({ operation }) => 'Recreate' in operation);
    await tasks.call(siteAdmin, deploymentTasks.operations.cancel, { id: recreate?.id ?? '' });
    expect(await tasks.deployment(id)).toMatchObject({ name: 'web-three', status: 'Running' });
    await expect(tasks.create({ name: 'renamed-three', helm_chart_id: byName.id })).resolves.toBeDefined();
    await tasks.runAll();
  });

  test('is not kept by a task that failed before Helm began', async () => {
    const { id } = await tasks.installed({ name: 'four', helm_chart_id: byKind.id });
    await change(id, { helm_chart_id: byName.id });
    await tasks.finish(await tasks.claimed(), 'Failed', 'The chart cannot be read');
    await change(id, { helm_chart_id: byKind.id });
    await tasks.runAll();

    await expect(tasks.create({ name: 'four-other', helm_chart_id: byName.id })).resolves.toBeDefined();
    await change((await tasks.installed({ name: 'five', helm_chart_id: byName.id })).id, { name: 'six' });
    await tasks.runAll();
  });

  test('taken by another deployment before its task started, fails that task', async () => {
    const { id } = await tasks.installed({ name: 'web-seven', helm_chart_id: tasks.chartId });
    await change(id, { helm_chart_id: byName.id, config: {} });
    await change(id, { helm_chart_id: byKind.id });
    await tasks.create({ name: 'seven', helm_chart_id: byKind.id });
    await tasks.runAll();

    const reasons = (await tasks.tasksOf(id)).map(({ status, reason }) => [status, reason]);
    expect(reasons).toContainEqual(['Failed', expect.stringContaining('has the hostname')]);
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running', helm_chart_id: byKind.id });
  });
});

describe('the items that a release refers to', () => {
  const secret = async (name: string) =>
    tasks.call(siteAdmin, secrets.operations.create, {
      body: { env_id: envId, collection: 'tokens', name, contents: 'swordfish-and-chips' },
    });
  const drop = (id: string) => tasks.call(siteAdmin, secrets.operations.delete, { id });
  const rotate = (id: string) =>
    tasks.call(siteAdmin, secrets.operations.update, { id, body: { contents: 'another swordfish' } });

  test('cannot be deleted, and its rotation reinstalls, until another revision is installed', async () => {
    const { id: token } = await secret('first');
    const { id, namespace } = await tasks.installed({ config: { replicas: 1, token } });
    await change(id, { config: { replicas: 1 } });
    await failsInHelm();

    await expect(drop(token)).rejects.toEqual(refusal('conflict', namespace));
    await rotate(token);
    expect((await newest(id)).operation).toMatchObject({ Reinstall: {} });
    await tasks.runAll();
    // It repeated the revision with the token.
    await expect(drop(token)).rejects.toEqual(refusal('conflict', namespace));

    await change(id, { config: { replicas: 2 } });
    await tasks.runAll();
    await drop(token);
  });

  test('counts for a failed change too, since its objects may be there', async () => {
    const { id: token } = await secret('third');
    const { id, namespace } = await tasks.installed();
    await change(id, { config: { replicas: 2, token } });
    await failsInHelm();
    await change(id, { config: { replicas: 3 } });
    await failsInHelm();

    await expect(drop(token)).rejects.toEqual(refusal('conflict', namespace));
    await change(id, { config: { replicas: 4 } });
    await tasks.runAll();
    await drop(token);
  });
});

test('secrets of a failed change are redacted, since its objects may be there', async () => {
  const body = { env_id: envId, collection: 'tokens', name: 'failed', contents: 'a secret of the failed change' };
  const { id: token } = await tasks.call(siteAdmin, secrets.operations.create, { body });
  const { id } = await tasks.installed();
  await change(id, { config: { replicas: 2, token } });
  await failsInHelm();
  await change(id, { config: { replicas: 3 } });
  await failsInHelm();

  const texts = { deployment_id: id, names: [], messages: [`it says: ${body.contents}`] };
  const { deployments: shown } = await tasks.clusterSync.call(shownTexts.operations.redact, {
    body: { deployments: [texts] },
  });
  expect(shown[0]?.messages).toEqual(['it says: ***']);
});

describe('a deployment that waits for its move to another env', () => {
  test('acts and is found in the env where it runs, until it runs in the new one', async () => {
    const { id } = await tasks.installed();
    await change(id, { cluster_id: tasks.otherClusterId });

    const state = async () =>
      (await tasks.auth.call(deploymentState.operations.now, { body: { deployment_id: id } })).deployment;
    const place = async () =>
      (await tasks.clusterSync.call(deploymentPlace.operations.now, { body: { deployment_id: id } })).deployment;
    expect(await state()).toMatchObject({ env_id: otherEnvId, installed_env_id: envId });
    expect(await place()).toMatchObject({ env_id: envId, cluster_id: tasks.clusterId });
    await tasks.runAll();
    expect(await state()).toMatchObject({ env_id: otherEnvId, installed_env_id: otherEnvId });
    expect(await place()).toMatchObject({ env_id: otherEnvId, cluster_id: tasks.otherClusterId });
  });
});

describe('an Uninstall', () => {
  test('says whether Helm can have begun in the namespace', async () => {
    const failed = await tasks.create();
    await tasks.finish(await tasks.claimed(), 'Failed', 'The namespace exists already');
    await change(failed.id, { enabled: false });
    const untouched = await tasks.claimed();
    expect(untouched).toMatchObject({ action: 'uninstall', holds_release: false, hooks: true });
    await tasks.finish(untouched);

    const { id } = await tasks.installed();
    await change(id, { enabled: false });
    const removal = await tasks.claimed();
    expect(removal).toMatchObject({ action: 'uninstall', holds_release: true, hooks: true });
    await tasks.finish(removal);
  });

  test('whose hook fails is retried without hooks by an owner', async () => {
    const { id } = await tasks.installed();
    await change(id, { enabled: false });
    await failsInHelm();
    const failed = (await newest(id)).id;
    const { retry } = deploymentTasks.operations;
    const body = { skip_hooks: true };

    await expect(tasks.call(maintainer, retry, { id: failed, body })).rejects.toEqual(
      refusal('forbidden', 'owner of its deployment'),
    );
    await tasks.call(owner, retry, { id: failed, body });
    const removal = await tasks.claimed();
    expect(removal).toMatchObject({ action: 'uninstall', hooks: false });
    await tasks.finish(removal);
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Uninstalled' });

    await change(id, { enabled: true });
    await failsInHelm();
    await expect(tasks.call(owner, retry, { id: (await newest(id)).id, body })).rejects.toEqual(
      refusal('conflict', 'removes no release'),
    );
  });
});

describe('a release on a cluster that no longer exists', () => {
  const { delete: remove } = deployments.operations;
  const abandon = (id: string, as: Identity = owner) => tasks.call(as, remove, { id, query: { abandon: true } });
  const destroyed = () => tasks.publish.cluster({ env_id: envId, name: `gone-${randomUUID()}` });

  test('can be abandoned by an owner once a site admin ignores the cluster, whatever its tasks do, and the audit log names the abandoned place', async () => {
    const cluster = await destroyed();
    await until(() => tasks.database.db.exists(statement`select from k8s_cluster_projection where id = ${cluster.id}`));
    const [deleting, working] = [
      await tasks.installed({ cluster_id: cluster.id }),
      await tasks.installed({ cluster_id: cluster.id }),
    ];
    await change(working.id, { config: { replicas: 2 } });
    const claimed = await tasks.claimed();
    await tasks.beginHelm(claimed);
    await change(working.id, { enabled: false });
    await expect(abandon(working.id)).rejects.toEqual(refusal('conflict', 'Its cluster is in use'));

    await tasks.publish.cluster({ ...cluster, is_ok: false, not_ok_reason: 'no route to host', ignore: true });
    await tasks.call(owner, remove, { id: deleting.id });
    expect(await tasks.claim()).toBeNull();
    expect(await tasks.deployment(deleting.id)).toMatchObject({ status: 'Deleting' });
    await expect(abandon(deleting.id, maintainer)).rejects.toEqual(refusal('forbidden', 'owner'));

    for (const { id, namespace } of [deleting, working]) {
      await abandon(id);
      await expect(tasks.deployment(id)).rejects.toEqual(refusal('not_found'));
      const ended = (await tasks.tasksOf(id)).map(({ status }) => status);
      expect(ended.filter((status) => status === 'Pending' || status === 'Started')).toEqual([]);
      expect((await audited(tasks.database.db, id)).at(-1)).toMatchObject({
        action: 'abandon',
        details: { left: { cluster_id: cluster.id, namespace } },
      });
    }
    await expect(tasks.heartbeat(claimed)).rejects.toEqual(refusal('conflict'));
    await expect(tasks.finish(claimed)).rejects.toEqual(refusal('conflict'));
  });
});
