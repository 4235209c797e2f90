import { randomUUID } from 'node:crypto';
import { etagOf } from '@berth/bus/rpc/etag';
import type { Identity } from '@berth/contracts/access/identity';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { type DeploymentChanges, deployments } from '@berth/contracts/resources/deployments/deployments';
import { secrets } from '@berth/contracts/resources/deployments/secrets';
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

const { owner, maintainer, envUser, envAdmin, siteAdmin, outsider } = sampleIdentities;
const { update } = deployments.operations;
const { rollback, retry } = deploymentTasks.operations;

const rollBack = (id: string, task_id: string, as: Identity = owner, options = {}) =>
  tasks.call(as, rollback, { id, body: { task_id } }, options);

/** Makes the change and runs its tasks; returns the task of the new revision. */
async function changed(id: string, body: DeploymentChanges): Promise<string> {
  await tasks.call(owner, update, { id, body });
  await tasks.runAll();
  return (await tasks.deployment(id)).revision_id ?? '';
}

/** A deployment with one replica, changed to two. */
async function upgraded() {
  const { id, revision_id } = await tasks.installed();
  const second = await changed(id, { config: { replicas: 2 } });
  return { id, first: revision_id ?? '', second };
}

describe('a rollback', () => {
  test('is an Upgrade to the state of an earlier task, which it names', async () => {
    const { id, first } = await upgraded();

    const task = await rollBack(id, first, maintainer);

    expect(task).toMatchObject({
      deployment_id: id,
      status: 'Pending',
      acting_user_id: maintainer.id,
      operation: {
        Upgrade: { config_inputs: { replicas: 1 }, config_delta: { replicas: [2, 1] }, rollback_to_task_id: first },
      },
    });
    expect(await tasks.deployment(id)).toMatchObject({ config: { replicas: 1 } });
    expect(await tasks.claimed()).toMatchObject({ task_id: task.id, values: { replicaCount: 1 } });
    const audited = await tasks.database.db.any(
      sql.type(z.object({ action: z.string(), details: z.unknown() }))`
        select action, details from audit_log where object_id = ${task.id} and result = 'done'
      `,
    );
    expect(audited).toEqual([{ action: 'rollback', details: { deployment_id: id, to_task_id: first } }]);
    await tasks.finish({ task_id: task.id, fence: (await tasks.database.db.one(fenceOf(task.id))).fence });
  });

  test('restores chart and override, too, and can itself be rolled back', async () => {
    const other = await tasks.publish.chart(sampleChart({ image_tag: '2.0.0' }));
    const { id, revision_id } = await tasks.installed({ values_override: { color: 'red' } });
    const seen = () => tasks.call(siteAdmin, update, { id, body: { helm_chart_id: other.id, values_override: null } });
    await until(() => seen().catch(() => null));
    await tasks.runAll();
    const { revision_id: second } = await tasks.deployment(id);

    await rollBack(id, revision_id ?? '');
    expect(await tasks.deployment(id)).toMatchObject({
      helm_chart_id: tasks.chartId,
      values_override: { color: 'red' },
    });
    await tasks.runAll();
    await rollBack(id, second ?? '');

    expect(await tasks.deployment(id)).toMatchObject({ helm_chart_id: other.id, values_override: null });
  });

  test('runs the current state again if it returns to that', async () => {
    const { id, second } = await upgraded();

    const { operation } = await rollBack(id, second);

    expect(operation).toMatchObject({ Upgrade: { config_delta: {}, rollback_to_task_id: second } });
  });

  test('is retried as a rollback if it failed', async () => {
    const { id, first } = await upgraded();
    const { id: failed } = await rollBack(id, first);
    await tasks.finish(await tasks.claimed(), 'Failed', 'no room');

    const again = await tasks.call(owner, retry, { id: failed });

    expect(again.operation).toMatchObject({ Upgrade: { rollback_to_task_id: first } });
    await tasks.runAll();
  });

  test('makes one task if it is sent twice with one key', async () => {
    const { id, first } = await upgraded();
    const same = { idempotencyKey: randomUUID() };

    const made = await rollBack(id, first, owner, same);

    expect(await rollBack(id, first, owner, same)).toEqual(made);
    expect((await tasks.tasksOf(id)).filter(({ status }) => status === 'Pending')).toHaveLength(1);
  });

  test('is refused with 412 if the deployment has changed since it was read', async () => {
    const { id, first } = await upgraded();
    const read = await tasks.deployment(id);
    await tasks.call(owner, update, { id, body: { description_md: 'changed' } });

    const ifMatch = etagOf(deployments, read) ?? '';
    await expect(rollBack(id, first, owner, { ifMatch })).rejects.toEqual(refusal('stale'));

    const now = etagOf(deployments, await tasks.deployment(id)) ?? '';
    expect(await rollBack(id, first, owner, { ifMatch: now })).toMatchObject({ deployment_id: id });
  });
});

describe('a rollback is refused', () => {
  test('if the caller may not change the deployment, and for maintainers if the override differs', async () => {
    const { id, first } = await upgraded();
    await expect(rollBack(id, first, envUser)).rejects.toEqual(refusal('forbidden'));
    await expect(rollBack(id, randomUUID(), envUser)).rejects.toEqual(refusal('forbidden'));
    await expect(rollBack(id, first, outsider)).rejects.toEqual(refusal('not_found'));

    await changed(id, { values_override: { color: 'red' } });

    await expect(rollBack(id, first, maintainer)).rejects.toEqual(refusal('forbidden'));
    expect(await rollBack(id, first, owner)).toMatchObject({ deployment_id: id });
  });

  test('if the task is of another deployment, or invisible to the caller', async () => {
    const { id } = await upgraded();
    const { first: strange } = await upgraded();
    const { revision_id: hidden } = await tasks
      .create({ cluster_id: tasks.otherClusterId }, siteAdmin)
      .then(async (there) => {
        await tasks.runAll();
        return tasks.deployment(there.id);
      });

    await expect(rollBack(id, strange)).rejects.toEqual(refusal('unprocessable', 'body.task_id'));
    await expect(rollBack(id, hidden ?? '')).rejects.toMatchObject({
      code: 'unprocessable',
      errors: [{ path: 'body.task_id', message: 'no such deployment task' }],
    });
  });

  test("if the chart is no longer available, with the chart's name", async () => {
    const chart = await tasks.publish.chart(sampleChart({ image_tag: '3.0.0' }));
    const make = () => tasks.create({ helm_chart_id: chart.id });
    const { id } = await until(() => make().catch(() => null));
    await tasks.runAll();
    const { revision_id } = await tasks.deployment(id);
    await changed(id, { helm_chart_id: tasks.chartId });
    await tasks.withdraw(chart);

    await expect(rollBack(id, revision_id ?? '')).rejects.toEqual(
      refusal('unprocessable', 'body.task_id.helm_chart_id'),
    );
    expect(await tasks.deployment(id)).toMatchObject({ helm_chart_id: tasks.chartId });
  });

  test('if a secret of the task is gone, with the name of the input', async () => {
    const body = { env_id: envId, collection: 'tokens', name: `s${randomUUID()}`, contents: 'swordfish' };
    const secret = await tasks.call(envAdmin, secrets.operations.create, { body });
    const { id, revision_id } = await tasks.installed({ config: { replicas: 1, token: secret.id } });
    await changed(id, { config: { replicas: 2 } });
    await tasks.call(envAdmin, secrets.operations.delete, { id: secret.id });

    await expect(rollBack(id, revision_id ?? '')).rejects.toEqual(
      refusal('unprocessable', 'body.task_id.config.token'),
    );
  });

  test('if the deployment is disabled', async () => {
    const { id, first } = await upgraded();
    await tasks.call(owner, update, { id, body: { enabled: false } });

    await expect(rollBack(id, first)).rejects.toEqual(refusal('conflict'));
  });

  test('if the task installed nothing', async () => {
    const { id } = await upgraded();
    await changed(id, { enabled: false });
    const [uninstall] = await tasks.tasksOf(id);
    await changed(id, { enabled: true });
    const { id: pending } = await tasks.call(owner, deploymentTasks.operations.create, {
      body: { deployment_id: id, operation: { Reinstall: { reason: 'to be sure' } } },
    });

    await expect(rollBack(id, uninstall?.id ?? '')).rejects.toEqual(refusal('unprocessable', 'body.task_id'));
    await expect(rollBack(id, pending)).rejects.toEqual(refusal('conflict'));
  });
});

const fenceOf = (id: string) =>
  sql.type(z.object({ fence: z.number().int() }))`select fence from deployment_tasks where id = ${id}`;
