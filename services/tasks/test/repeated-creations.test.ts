import { randomUUID } from 'node:crypto';
import type { Identity } from '@berth/contracts/access/identity';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { deployments } from '@berth/contracts/resources/deployments/deployments';
import { sampleIdentities } from '@berth/testing/test-identities';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refusal } from './support/refusal.ts';
import { kindId, startTasksInTest, type TasksInTest } from './support/tasks-in-test.ts';

let tasks: TasksInTest;
beforeAll(async () => {
  tasks = await startTasksInTest();
});
afterAll(() => tasks?.[Symbol.asyncDispose]());

const { owner, siteAdmin } = sampleIdentities;
const { create, retry } = deploymentTasks.operations;

const key = () => ({ idempotencyKey: randomUUID() });
const twenty = <T>(send: () => Promise<T>) => Promise.all(Array.from({ length: 20 }, send));
const usedOtherwise = refusal('unprocessable', 'was used with another request', 'headers.idempotency-key');

const newDeployment = (name = `d${randomUUID().slice(0, 8)}`) => ({
  name,
  kind_id: kindId,
  cluster_id: tasks.clusterId,
  helm_chart_id: tasks.chartId,
  config: { replicas: 1 },
  values_override: null,
});
const deploy = (body: ReturnType<typeof newDeployment>, options: ReturnType<typeof key>, as: Identity = owner) =>
  tasks.call(as, deployments.operations.create, { body }, options);
const reinstall = (deployment_id: string, reason: string, options: ReturnType<typeof key>, as: Identity = owner) =>
  tasks.call(as, create, { body: { deployment_id, operation: { Reinstall: { reason } } } }, options);

test('a repeated creation makes one deployment with one Install, and gets the first answer', async () => {
  const same = key();
  const body = newDeployment();

  const answers = await twenty(() => deploy(body, same));
  await tasks.runAll();
  answers.push(await deploy(body, same));

  const [first] = answers;
  expect(answers).toEqual(Array.from({ length: 21 }, () => first));
  expect(await tasks.tasksOf(first?.id ?? '')).toHaveLength(1);
  await expect(deploy({ ...body, config: { replicas: 2 } }, same)).rejects.toEqual(usedOtherwise);
});

test('a refused creation can be retried with its key, and another caller can use the same key', async () => {
  const same = key();
  const body = newDeployment();
  await expect(deploy({ ...body, config: { replicas: -1 } }, same)).rejects.toEqual(
    refusal('unprocessable', '', 'body.config.replicas'),
  );

  await expect(deploy(body, same)).resolves.toMatchObject({ name: body.name });
  const other = newDeployment();
  await expect(deploy(other, same, siteAdmin)).resolves.toMatchObject({ name: other.name });
});

test('a repeated request makes one task, and gets the first answer with the reason of that time', async () => {
  const { id } = await tasks.installed();
  const before = (await tasks.tasksOf(id)).length;
  const same = key();

  const answers = await twenty(() => reinstall(id, 'to be sure', same));
  await tasks.runAll();
  answers.push(await reinstall(id, 'to be sure', same));

  expect(answers[0]).toMatchObject({ status: 'Pending', reason: expect.any(String) });
  expect(answers).toEqual(Array.from({ length: 21 }, () => answers[0]));
  expect(await tasks.tasksOf(id)).toHaveLength(before + 1);
  await expect(reinstall(id, 'to be very sure', same)).rejects.toEqual(usedOtherwise);
  await expect(reinstall(id, 'to be sure', same, siteAdmin)).resolves.not.toMatchObject({ id: answers[0]?.id });
  await tasks.runAll();
});

test('a repeated retry makes one new task, and its key counts for that task only', async () => {
  const failed = async () => {
    const { id: deployment_id } = await tasks.installed();
    const { id } = await reinstall(deployment_id, 'to fail', key());
    await tasks.finish(await tasks.claimed(), 'Failed', 'it was a test');
    return { id, deployment_id };
  };
  const one = await failed();
  const other = await failed();
  const before = (await tasks.tasksOf(one.deployment_id)).length;
  const same = key();

  const answers = await twenty(() => tasks.call(owner, retry, { id: one.id }, same));

  expect(answers).toEqual(Array.from({ length: 20 }, () => answers[0]));
  expect(answers[0]).toMatchObject({ deployment_id: one.deployment_id, status: 'Pending' });
  expect(await tasks.tasksOf(one.deployment_id)).toHaveLength(before + 1);
  await expect(tasks.call(owner, retry, { id: other.id }, same)).rejects.toEqual(usedOtherwise);
});
