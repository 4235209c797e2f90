import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { statusInPayload, withStatus } from '../src/runner/release/release-payload.ts';
import { actionsIn } from './support/helm-actions.ts';
import { type RunnerProcess, type RunnerWorld, startRunnerWorld } from './support/runner-world.ts';
import { taskOf } from './support/fake-tasks.ts';

let world: RunnerWorld;
let runner: RunnerProcess;
let act: ReturnType<typeof actionsIn>;
beforeAll(async () => {
  world = await startRunnerWorld();
  act = actionsIn(world);
  runner = await world.start();
}, 120_000);
afterAll(async () => {
  await runner?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

const Secret = z.looseObject({
  metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
  data: z.record(z.string(), z.string()),
});
const call = { signal: AbortSignal.timeout(120_000), deadlineMs: 10_000 };
const next = <T extends { task_id: string }>(task: T): T => ({ ...task, task_id: crypto.randomUUID() });

/** Leaves the release in the state in which a Helm that was killed leaves it. */
async function leaveAs(namespace: string, revision: number, status: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/secrets/sh.helm.release.v1.${namespace}.v${revision}`;
  const secret = Secret.parse(await world.api.getJson(path, call));
  const release = await withStatus(secret.data['release'] ?? '', status, 'left by the test');
  expect(await statusInPayload(release)).toBe(status);
  secret.metadata.labels['status'] = status;
  await world.api.putJson(path, { ...secret, data: { release } }, call);
}

test.for(['pending-install', 'pending-upgrade', 'pending-rollback', 'uninstalling'])(
  'a release that an interrupted run left %s is repaired and deployed again',
  async (status) => {
    const task = taskOf(world.chart);
    await act.run(task);
    await leaveAs(task.namespace, 1, status);

    const again = next(task);
    expect(await act.run(again)).toMatchObject({ outcome: 'Done' });

    expect(await act.history(task.namespace)).toEqual(['superseded', 'deployed']);
    expect(world.tasks.textOf(again.task_id)).toContain(`the release is ${status}: an earlier run was interrupted`);
  },
);

test('an upgrade that was left pending behind a deployed revision is repaired and deployed again', async () => {
  const task = taskOf(world.chart);
  await act.run(task);
  await act.run(next(task));
  await leaveAs(task.namespace, 2, 'pending-upgrade');

  expect(await act.run(next(task))).toMatchObject({ outcome: 'Done' });
  expect((await act.history(task.namespace)).at(-1)).toBe('deployed');
});

test('a release that an earlier claim of the task deployed is adopted', async () => {
  const task = taskOf(world.chart);
  await act.run(task);

  const again = { ...task, fence: 2, attempt: 2 };
  world.tasks.give(again);
  await expect
    .poll(() => world.tasks.ends.filter(({ task_id }) => task_id === task.task_id), { timeout: 20_000 })
    .toMatchObject([{ fence: 1 }, { fence: 2, outcome: 'Done' }]);

  expect(await act.history(task.namespace)).toEqual(['deployed']);
  expect(world.tasks.textOf(task.task_id)).toContain('an earlier attempt of this task has already deployed');
});

test('a deploy fails on a release that cannot be read', async () => {
  const task = taskOf(world.chart);
  await act.run(task);
  const path = `/api/v1/namespaces/${task.namespace}/secrets/sh.helm.release.v1.${task.namespace}.v1`;
  const secret = Secret.parse(await world.api.getJson(path, call));
  await world.api.putJson(path, { ...secret, data: { release: Buffer.from('what?').toString('base64') } }, call);

  const end = await act.run(next(task));

  expect(end).toMatchObject({ outcome: 'Failed' });
  expect(end.reason).toContain('cannot be read');
});

test('a namespace that Berth did not create is neither used nor removed', async () => {
  const task = taskOf(world.chart);
  await act.post('/api/v1/namespaces', { metadata: { name: task.namespace } });

  const deployed = await act.run(task);
  const removed = await act.run({ ...next(task), action: 'uninstall', delete_namespace: true, chart: null });

  expect(deployed).toMatchObject({ outcome: 'Failed' });
  expect(deployed.reason).toContain('does not belong to this deployment');
  expect(removed).toMatchObject({ outcome: 'Failed' });
  const namespace = await act.get(`/api/v1/namespaces/${task.namespace}`);
  expect(namespace).toMatchObject({ status: { phase: 'Active' } });
  expect(namespace).not.toHaveProperty('metadata.annotations');
});

test('a Secret that Berth did not create is not overwritten', async () => {
  const task = taskOf(world.chart);
  await act.run(task);
  const path = `/api/v1/namespaces/${task.namespace}/secrets`;
  await act.post(path, { metadata: { name: 'theirs' }, stringData: { key: 'theirs' } });

  const end = await act.run({ ...next(task), secrets: { theirs: { key: 'ours' } } });

  expect(end).toMatchObject({ outcome: 'Failed' });
  expect(end.reason).toContain('was not created by Berth');
});

test.for(['deployed', 'pending-install', 'pending-upgrade', 'failed'])(
  'an uninstall removes a release in status %s and its namespace',
  async (status) => {
    const task = taskOf(world.chart);
    await act.run(task);
    await leaveAs(task.namespace, 1, status);

    const uninstall = { ...next(task), action: 'uninstall' as const, delete_namespace: true, chart: null };
    expect(await act.run(uninstall)).toMatchObject({ outcome: 'Done' });

    expect(await act.exists(`/api/v1/namespaces/${task.namespace}`)).toBe(false);
    expect(await act.run(next(uninstall))).toMatchObject({ outcome: 'Done' });
  },
);

test('an uninstall without a release counts as begun before it deletes the namespace', async () => {
  const task = taskOf(world.chart);
  await act.run(task);
  await act.remove(`/api/v1/namespaces/${task.namespace}/secrets/sh.helm.release.v1.${task.namespace}.v1`);

  const uninstall = { ...next(task), action: 'uninstall' as const, delete_namespace: true, chart: null };
  expect(await act.run(uninstall)).toMatchObject({ outcome: 'Done' });

  expect(world.tasks.begun).toContain(uninstall.task_id);
  expect(await act.exists(`/api/v1/namespaces/${task.namespace}`)).toBe(false);
});

test('a deploy creates a namespace that was deleted', async () => {
  const task = { ...taskOf(world.chart), is_first: false };

  expect(await act.run(task)).toMatchObject({ outcome: 'Done' });

  expect(await act.history(task.namespace)).toEqual(['deployed']);
});

test('a deploy into a terminating namespace waits for its end and creates it again', async () => {
  const task = taskOf(world.chart);
  await act.run(task);
  const path = `/api/v1/namespaces/${task.namespace}`;
  await world.api.deleteJson(path, { propagationPolicy: 'Foreground' }, call);

  expect(await act.run(next(task))).toMatchObject({ outcome: 'Done' });
  expect(await act.history(task.namespace)).toEqual(['deployed']);
});
