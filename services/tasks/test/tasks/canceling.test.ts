import { randomUUID } from 'node:crypto';
import type { Identity } from '@berth/contracts/access/identity';
import { etagOf } from '@berth/bus/rpc/etag';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { deployments } from '@berth/contracts/resources/deployments/deployments';
import type { RequestedOperation } from '@berth/contracts/resources/tasks/task-operation';
import { runnerTasks } from '@berth/contracts/resources/tasks/runner-tasks';
import { sampleIdentities } from '@berth/testing/test-identities';
import { statement } from '@berth/db/statement';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refusal } from '../support/refusal.ts';
import { sampleChart } from '../support/sample-charts.ts';
import { envId, otherEnvId, startTasksInTest, type TasksInTest, until } from '../support/tasks-in-test.ts';

let tasks: TasksInTest;
beforeAll(async () => {
  tasks = await startTasksInTest();
});
afterAll(() => tasks?.[Symbol.asyncDispose]());

const { siteAdmin, owner, maintainer, envUser, bot, outsider, envAdmin } = sampleIdentities;
const { create, list, get, cancel, retry } = deploymentTasks.operations;
const { update, delete: remove } = deployments.operations;

const request = (as: Identity, deployment_id: string, operation: RequestedOperation, execute_at?: string) =>
  tasks.call(as, create, { body: { deployment_id, operation, ...(execute_at !== undefined && { execute_at }) } });
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const tomorrow = () => inMs(86_400_000);

const upgrade = (replicas: number, values_override: { [key: string]: number } | null = null): RequestedOperation => ({
  Upgrade: { helm_chart_id: tasks.chartId, config_inputs: { replicas }, values_override },
});
const reinstall: RequestedOperation = { Reinstall: { reason: 'to be sure' } };
const cancelIt = (as: Identity, id: string, reason?: string) =>
  tasks.call(as, cancel, { id, ...(reason !== undefined && { body: { reason } }) });

describe('canceling', () => {
  test('a pending task is canceled at once, with the reason given', async () => {
    const { id } = await tasks.create();
    const [pending] = await tasks.tasksOf(id);

    const canceled = await cancelIt(owner, pending?.id ?? '', 'changed my mind');

    expect(canceled).toMatchObject({
      status: 'Canceled',
      reason: 'changed my mind',
      canceled_by_user_id: owner.id,
      finished_at: expect.any(String),
    });
    expect(await tasks.claim()).toBeNull();
    expect(await tasks.deployment(id)).toMatchObject({
      status: 'Unknown',
      reason: 'It is not installed: its Install was canceled. Retry that task, or disable the deployment',
    });
  });

  test('a reason of only white space counts as absent', async () => {
    const { id } = await tasks.create();
    const claimed = await tasks.claimed();

    await cancelIt(owner, claimed.task_id, '  ');

    await tasks.finish(claimed, 'Canceled');
    expect(await tasks.task(claimed.task_id)).toMatchObject({ status: 'Canceled', reason: null });
    expect(await tasks.deployment(id)).toMatchObject({
      reason: 'Install was canceled while it ran. Retry it, or change the deployment',
    });
  });

  test('a started task is stopped by its runner and ends as canceled', async () => {
    const { id } = await tasks.create();
    const claimed = await tasks.claimed();
    const hinted = new Promise<string>((resolve) => {
      const { signal } = new AbortController();
      tasks.runner.hints.listen('task_cancel', resolve, { signal });
    });
    await tasks.runner.listening();

    const answer = await cancelIt(owner, claimed.task_id, 'too slow');

    expect(answer).toMatchObject({ status: 'Started' });
    expect(await hinted).toBe(claimed.task_id);
    expect(await tasks.heartbeat(claimed)).toMatchObject({ cancel_requested: true });
    await tasks.finish(claimed, 'Canceled');
    expect(await tasks.task(claimed.task_id)).toMatchObject({
      status: 'Canceled',
      reason: 'too slow',
      canceled_by_user_id: owner.id,
    });
    expect(await tasks.deployment(id)).toMatchObject({
      status: 'Error',
      reason: 'Install was canceled while it ran: too slow. Retry it, or change the deployment',
    });
  });

  test('a task that finished before its runner saw the cancellation is done', async () => {
    await tasks.create();
    const claimed = await tasks.claimed();
    await cancelIt(owner, claimed.task_id);

    await tasks.finish(claimed);

    expect(await tasks.task(claimed.task_id)).toMatchObject({ status: 'Done', canceled_by_user_id: null });
  });

  test('a finished task is refused', async () => {
    const { revision_id } = await tasks.installed();

    await expect(cancelIt(owner, revision_id ?? '')).rejects.toEqual(refusal('conflict', 'Done already'));
  });

  test('canceling a Recreate before its start returns the deployment to its old place', async () => {
    const { id, name, namespace } = await tasks.installed();
    await tasks.call(owner, update, { id, body: { name: `x${id.slice(0, 8)}` } });
    await tasks.call(owner, update, { id, body: { config: { replicas: 2 } } });
    const recreate = (await tasks.tasksOf(id)).find(({ operation }) => 'Recreate' in operation);

    await cancelIt(owner, recreate?.id ?? '');

    const reason = expect.stringMatching(/^It runs with another config than it wants: /);
    expect(await tasks.deployment(id)).toMatchObject({ name, namespace, status: 'Running', reason });
    expect(await tasks.runAll()).toEqual([]);
    expect((await tasks.tasksOf(id)).map(({ status }) => status)).toEqual(['Canceled', 'Canceled', 'Canceled', 'Done']);
  });

  test('canceling an Upgrade leaves a reason until a retry succeeds: another state is wanted than runs', async () => {
    const { id } = await tasks.installed();
    const chart = await tasks.publish.chart(sampleChart());
    const body = { config: { replicas: 2 }, values_override: { a: 1 }, helm_chart_id: chart.id };
    await until(() => tasks.call(owner, update, { id, body }).catch(() => null));
    const [pending] = await tasks.tasksOf(id);

    await cancelIt(owner, pending?.id ?? '');

    const reason =
      'It runs with another chart, config, values_override than it wants: the Upgrade to it failed or was canceled. ' +
      'Retry that task, or change the deployment';
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running', reason, ...body });
    await request(owner, id, reinstall);
    await tasks.runAll();
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running', reason });
    await tasks.call(owner, retry, { id: pending?.id ?? '' });
    expect(await tasks.deployment(id)).toMatchObject({ reason: 'Task: Upgrade is queued' });
    expect(await tasks.runAll()).toMatchObject([{ values: { replicaCount: 2, a: 1 } }]);
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running', reason: null });
  });

  test('the last of two Upgrades leaves a reason even after the first is done, and reverting the change removes it', async () => {
    const { id } = await tasks.installed();
    await request(owner, id, upgrade(2));
    const { id: last } = await request(owner, id, upgrade(3));
    const outdated = { status: 'Running', reason: expect.stringContaining('another config than it wants') };

    await cancelIt(owner, last);

    expect(await tasks.deployment(id)).toMatchObject(outdated);
    expect(await tasks.runAll()).toHaveLength(1);
    expect(await tasks.deployment(id)).toMatchObject(outdated);
    await expect(tasks.call(owner, update, { id, body: { config: { replicas: 2 } } })).resolves.toMatchObject({
      reason: 'Task: Upgrade is queued',
    });
    await tasks.runAll();
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running', reason: null });
  });

  test('the first of two Upgrades leaves no reason, because the other installs the wanted state', async () => {
    const { id } = await tasks.installed();
    const { id: first } = await request(owner, id, upgrade(2));
    await request(owner, id, upgrade(3));

    await cancelIt(owner, first);

    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running', reason: 'Task: Upgrade is queued' });
    await tasks.runAll();
  });

  test('an Uninstall leaves the differences as the reason, and so does a deletion that had canceled an Upgrade', async () => {
    const disabled = await tasks.installed();
    const kept = await tasks.installed();
    await tasks.call(owner, update, { id: disabled.id, body: { enabled: false } });
    await request(owner, kept.id, upgrade(2));
    await tasks.call(owner, remove, { id: kept.id });

    for (const { id } of [disabled, kept]) {
      const [pending] = await tasks.tasksOf(id);
      await cancelIt(owner, pending?.id ?? '');
    }

    expect(await tasks.deployment(disabled.id)).toMatchObject({
      status: 'Running',
      enabled: false,
      reason:
        'It is disabled and still installed: its Uninstall was canceled. Retry that task, or enable the deployment',
    });
    expect(await tasks.deployment(kept.id)).toMatchObject({
      status: 'Running',
      reason: expect.stringContaining('another config than it wants'),
    });
  });

  test('a Recreate cancels only the tasks behind it', async () => {
    const { id, name, namespace } = await tasks.create();
    await tasks.call(owner, update, { id, body: { name: `b${id.slice(0, 8)}` } });
    const recreate = (await tasks.tasksOf(id)).find(({ operation }) => 'Recreate' in operation);

    await cancelIt(owner, recreate?.id ?? '');

    expect((await tasks.tasksOf(id)).map(({ status }) => status)).toEqual(['Canceled', 'Canceled', 'Pending']);
    expect(await tasks.runAll()).toMatchObject([{ action: 'deploy', namespace }]);
    expect(await tasks.deployment(id)).toMatchObject({ name, namespace, status: 'Running' });
  });

  test('an Upgrade whose Recreate has run leaves Error with the way out', async () => {
    const { id } = await tasks.installed();
    await tasks.call(owner, update, { id, body: { name: `y${id.slice(0, 8)}` } });
    await tasks.finish(await tasks.claimed());
    const behind = (await tasks.tasksOf(id)).find(({ status }) => status === 'Pending');

    await cancelIt(owner, behind?.id ?? '');

    expect(await tasks.deployment(id)).toMatchObject({ status: 'Error', reason: expect.stringContaining('retry it') });
  });

  test('a task that a runner had handed back counts as begun, and canceling it leaves Error rather than a transient state', async () => {
    const changes = { Upgrade: { config: { replicas: 2 } }, Uninstall: { enabled: false } };
    const ids = [(await tasks.create()).id];
    const claims = [await tasks.claimed()];
    for (const body of Object.values(changes)) {
      const { id } = await tasks.installed();
      await tasks.call(owner, update, { id, body });
      ids.push(id);
      claims.push(await tasks.claimed());
    }
    for (const claimed of claims) await tasks.finish(claimed, 'HandedBack');

    for (const { task_id } of claims) await cancelIt(owner, task_id);

    for (const id of ids) {
      expect(await tasks.deployment(id)).toMatchObject({
        status: 'Error',
        reason: expect.stringContaining('was canceled after it had begun: retry it'),
      });
    }
  });

  test('a Recreate that was claimed but removed nothing restores state and place of the deployment', async () => {
    const { id, name, namespace } = await tasks.installed();
    await tasks.call(owner, update, { id, body: { name: `h${id.slice(0, 8)}` } });
    const claimed = await tasks.claimed();
    await tasks.finish(claimed, 'Unreachable', 'the cluster is away');

    await cancelIt(owner, claimed.task_id);

    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running', reason: null, name, namespace });
    expect(await tasks.runAll()).toEqual([]);
  });

  test('a Recreate whose runner removed nothing returns the deployment to its old place when it ends as canceled', async () => {
    const { id, name, namespace, cluster_id, env_id } = await tasks.installed();
    await tasks.call(siteAdmin, update, { id, body: { cluster_id: tasks.otherClusterId } });
    const claimed = await tasks.claimed();

    await expect(cancelIt(envAdmin, claimed.task_id)).rejects.toEqual(refusal('not_found'));
    await cancelIt(siteAdmin, claimed.task_id);
    await tasks.finish(claimed, 'Canceled');

    const before = { status: 'Running', reason: null, name, namespace, cluster_id, env_id };
    expect(await tasks.deployment(id)).toMatchObject(before);
    expect((await tasks.tasksOf(id)).map(({ status }) => status)).toEqual(['Canceled', 'Canceled', 'Done']);
  });

  test('a canceled Recreate leaves the deployment at its new place if another one has taken its old name', async () => {
    const { id, name } = await tasks.installed();
    await tasks.call(owner, update, { id, body: { name: `n${id.slice(0, 8)}` } });
    const claimed = await tasks.claimed();
    await tasks.database.db.query(statement`update deployments set installed_namespace = 'elsewhere' where id = ${id}`);
    await tasks.create({ name });

    await cancelIt(owner, claimed.task_id);
    await tasks.finish(claimed, 'Canceled');

    expect(await tasks.deployment(id)).toMatchObject({
      status: 'Running',
      name: `n${id.slice(0, 8)}`,
      reason: expect.stringContaining('another namespace than it wants'),
    });
    await tasks.runAll();
  });

  test('a Recreate that a runner handed back after Helm had begun is not undone', async () => {
    const { id } = await tasks.installed();
    await tasks.call(owner, update, { id, body: { name: `h${id.slice(0, 8)}` } });
    const claimed = await tasks.claimed();
    await tasks.beginHelm(claimed);
    await tasks.finish(claimed, 'HandedBack');

    await cancelIt(owner, claimed.task_id);

    expect(await tasks.deployment(id)).toMatchObject({ status: 'Error', name: `h${id.slice(0, 8)}` });
  });

  test('the reason of an Upgrade after a Recreate that was put back does not mention a removal', async () => {
    const { id } = await tasks.installed();
    await tasks.call(owner, update, { id, body: { name: `u${id.slice(0, 8)}` } });
    const recreate = await tasks.claimed();
    await tasks.finish(recreate, 'Unreachable', 'the cluster is away');
    const behind = (await tasks.tasksOf(id)).find(({ operation }) => 'Upgrade' in operation);

    await cancelIt(owner, behind?.id ?? '');

    expect(await tasks.deployment(id)).toMatchObject({ status: 'Renaming', reason: 'Task: it is being moved' });
    await cancelIt(owner, recreate.task_id);
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running', reason: null });
  });

  test('canceling a deletion between two attempts of a task leaves Error rather than a transient state', async () => {
    const { id } = await tasks.create();
    await tasks.finish(await tasks.claimed(), 'Retry', 'the network is away');
    await tasks.call(owner, remove, { id });
    const [uninstall] = await tasks.tasksOf(id);

    await cancelIt(owner, uninstall?.id ?? '');

    expect(await tasks.deployment(id)).toMatchObject({
      status: 'Error',
      reason: 'Install was canceled after it had begun: retry it',
    });
  });

  test('a task that fails before a waiting deletion does not end the deletion', async () => {
    const { id } = await tasks.create();
    const install = await tasks.claimed();
    await tasks.call(owner, remove, { id });

    await tasks.finish(install, 'Failed', 'no');

    expect(await tasks.deployment(id)).toMatchObject({ status: 'Deleting' });
    await expect(tasks.call(owner, update, { id, body: { config: { replicas: 2 } } })).rejects.toEqual(
      refusal('conflict', 'being deleted'),
    );
    await tasks.call(owner, remove, { id });
    expect(await tasks.tasksOf(id)).toHaveLength(2);
    await tasks.runAll();
    await expect(tasks.deployment(id)).rejects.toEqual(refusal('not_found'));
  });

  test('canceling a deletion before its start restores the state', async () => {
    const { id } = await tasks.installed();
    await tasks.call(owner, remove, { id });
    const [uninstall] = await tasks.tasksOf(id);

    await cancelIt(owner, uninstall?.id ?? '');

    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running' });
  });

  test('is refused with the ETag of an earlier state of the task', async () => {
    const { id } = await tasks.installed();
    const { id: task } = await request(owner, id, upgrade(2), tomorrow());

    await expect(tasks.call(owner, cancel, { id: task }, { ifMatch: '"stale"' })).rejects.toEqual(refusal('stale'));
    expect(await tasks.task(task)).toMatchObject({ status: 'Pending' });
    const seen = etagOf(deploymentTasks, await tasks.task(task)) ?? '';
    await expect(tasks.call(owner, cancel, { id: task }, { ifMatch: seen })).resolves.toMatchObject({
      status: 'Canceled',
      reason: null,
    });
    await expect(tasks.call(owner, cancel, { id: task }, { ifMatch: seen })).rejects.toEqual(refusal('stale'));
  });

  test('is for owners of both envs if the task is a move to another env, because it returns the deployment', async () => {
    const { id } = await tasks.installed();
    await tasks.call(siteAdmin, update, { id, body: { cluster_id: tasks.otherClusterId } });
    const recreate = (await tasks.tasksOf(id)).find(({ operation }) => 'Recreate' in operation)?.id ?? '';
    const adminThere = { ...envAdmin, env_roles: { [otherEnvId]: 'Admin' as const } };
    const adminOfBoth = { ...envAdmin, env_roles: { ...envAdmin.env_roles, ...adminThere.env_roles } };

    await expect(cancelIt(adminThere, recreate)).rejects.toEqual(refusal('forbidden', 'owner'));
    expect(await tasks.deployment(id)).toMatchObject({ env_id: otherEnvId });
    await cancelIt(adminOfBoth, recreate);
    expect(await tasks.deployment(id)).toMatchObject({ env_id: envId, status: 'Running', reason: null });
  });

  test('returns a renamed or moved deployment to the current env of its old cluster', async () => {
    const laterEnvId = randomUUID();
    await tasks.publish.env({ id: laterEnvId, name: 'later' });
    const cluster = await tasks.publish.cluster({ env_id: envId, name: 'migrating' });
    const renamed = await tasks.installed({ cluster_id: cluster.id });
    const moved = await tasks.installed({ cluster_id: cluster.id });
    await tasks.call(siteAdmin, update, { id: renamed.id, body: { name: 'renamed' } });
    await tasks.call(siteAdmin, update, { id: moved.id, body: { cluster_id: tasks.otherClusterId } });
    const recreateOf = async (id: string) =>
      (await tasks.tasksOf(id)).find(({ operation }) => 'Recreate' in operation)?.id ?? '';
    const adminBefore = { ...envAdmin, env_roles: { ...envAdmin.env_roles, [otherEnvId]: 'Admin' as const } };

    await tasks.publish.cluster({ ...cluster, env_id: laterEnvId });

    await expect(cancelIt(adminBefore, await recreateOf(moved.id))).rejects.toEqual(refusal('forbidden', 'owner'));
    await until(async () => (await tasks.deployment(renamed.id)).env_id === laterEnvId);
    for (const { id } of [renamed, moved]) {
      await cancelIt(siteAdmin, await recreateOf(id));
      expect(await tasks.deployment(id)).toMatchObject({ cluster_id: cluster.id, env_id: laterEnvId });
    }
    await tasks.runAll();
  });

  test('is for the creator of the task and for owners', async () => {
    const { id } = await tasks.installed();
    const task = await request(maintainer, id, upgrade(2), tomorrow());

    await expect(cancelIt(bot, task.id)).rejects.toEqual(refusal('forbidden'));
    await expect(cancelIt(envUser, task.id)).rejects.toEqual(refusal('forbidden'));
    await expect(cancelIt(outsider, task.id)).rejects.toEqual(refusal('not_found'));
    await expect(cancelIt(maintainer, task.id)).resolves.toMatchObject({ status: 'Canceled' });
    const another = await request(maintainer, id, upgrade(2), tomorrow());
    await expect(cancelIt(envAdmin, another.id)).resolves.toMatchObject({ status: 'Canceled' });
  });

  test('a bot cancels and retries its own tasks, but not those of another bot', async () => {
    const { id } = await tasks.installed();
    const otherBot = { kind: 'bot', id: randomUUID() } as const;
    const task = await request(bot, id, upgrade(2), tomorrow());
    expect(task).toMatchObject({ acting_user_id: null, acting_deployment_id: null });

    await expect(cancelIt(otherBot, task.id)).rejects.toEqual(refusal('forbidden'));
    await expect(cancelIt(bot, task.id)).resolves.toMatchObject({
      status: 'Canceled',
      canceled_by_user_id: null,
      canceled_by_deployment_id: null,
    });
    await expect(tasks.call(otherBot, retry, { id: task.id })).rejects.toEqual(refusal('forbidden'));
    const again = await tasks.call(bot, retry, { id: task.id });
    await expect(cancelIt(bot, again.id)).resolves.toMatchObject({ status: 'Canceled' });
  });
});

describe('retrying', () => {
  const retryIt = (as: Identity, id: string) => tasks.call(as, retry, { id });

  test('a failed Install runs again', async () => {
    const { id } = await tasks.create();
    const failed = await tasks.claimed();
    await tasks.finish(failed, 'Failed', 'image not found');

    const again = await retryIt(owner, failed.task_id);

    expect(again).toMatchObject({ status: 'Pending', attempts: 0 });
    expect(again.operation).toEqual((await tasks.task(failed.task_id)).operation);
    await tasks.runAll();
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running', revision_id: again.id, reason: null });
  });

  test('an Upgrade that is no longer wanted does not run again', async () => {
    const { id } = await tasks.installed();
    const { id: old } = await request(owner, id, upgrade(2));
    await tasks.finish(await tasks.claimed(), 'Failed', 'no');
    await request(owner, id, upgrade(3));
    await tasks.runAll();

    await expect(retryIt(owner, old)).rejects.toEqual(refusal('conflict', 'has changed since'));
  });

  test('a task that no longer fits is refused, with the reason', async () => {
    const chart = await tasks.publish.chart(sampleChart());
    await tasks.create({ helm_chart_id: chart.id });
    const failed = await tasks.claimed();
    await tasks.finish(failed, 'Failed', 'no');
    await tasks.withdraw(chart);

    await expect(retryIt(owner, failed.task_id)).rejects.toEqual(
      refusal('conflict', 'It no longer fits: helm_chart_id: the chart is no longer available'),
    );
  });

  test('retrying a failed Recreate also queues its Upgrade', async () => {
    const { id, namespace } = await tasks.installed();
    await tasks.call(owner, update, { id, body: { name: `z${id.slice(0, 8)}` } });
    const failed = await tasks.claimed();
    await tasks.finish(failed, 'Failed', 'no');

    await retryIt(owner, failed.task_id);

    expect(await tasks.runAll()).toMatchObject([
      { action: 'uninstall', namespace },
      { action: 'deploy', namespace: `web-z${id.slice(0, 8)}`, kind: 'Web' },
    ]);
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running' });
  });

  test('an Upgrade that was queued behind a canceled move brings its config to the place that the deployment kept', async () => {
    const { id, namespace } = await tasks.installed();
    await tasks.call(owner, update, { id, body: { name: `k${id.slice(0, 8)}` } });
    await tasks.call(owner, update, { id, body: { config: { replicas: 7 } } });
    const [upgraded, , recreate] = await tasks.tasksOf(id);
    await tasks.call(owner, cancel, { id: recreate?.id ?? '' });

    await retryIt(owner, upgraded?.id ?? '');

    expect(await tasks.runAll()).toMatchObject([{ action: 'deploy', namespace, values: { replicaCount: 7 } }]);
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running', reason: null });
  });

  test('a failed deletion is continued', async () => {
    const { id } = await tasks.installed();
    await tasks.call(owner, remove, { id });
    const failed = await tasks.claimed();
    await tasks.finish(failed, 'Failed', 'no');

    await retryIt(owner, failed.task_id);

    expect(await tasks.deployment(id)).toMatchObject({ status: 'Deleting' });
    await tasks.runAll();
    await expect(tasks.deployment(id)).rejects.toEqual(refusal('not_found'));
    await expect(retryIt(siteAdmin, failed.task_id)).rejects.toEqual(refusal('conflict', 'deleted'));
  });

  test('a task that is Done is refused', async () => {
    const { revision_id } = await tasks.installed();

    await expect(retryIt(owner, revision_id ?? '')).rejects.toEqual(refusal('conflict', 'Done'));
    await expect(retryIt(outsider, revision_id ?? '')).rejects.toEqual(refusal('not_found'));
  });
});

describe('reading', () => {
  test('shows tasks of visible envs only, and those of deleted deployments to site admins and bots', async () => {
    const here = await tasks.create();
    const there = await tasks.create({ cluster_id: tasks.otherClusterId }, siteAdmin);
    const gone = await tasks.create();
    const [goneTask] = await tasks.tasksOf(gone.id);
    await tasks.call(owner, remove, { id: gone.id });
    const seenBy = async (as: Identity) => {
      const { items } = await tasks.call(as, list, { query: { per_page: 100 } });
      return new Set(items.map(({ deployment_id }) => deployment_id));
    };

    for (const identity of [siteAdmin, bot]) {
      expect([...(await seenBy(identity))]).toEqual(expect.arrayContaining([here.id, there.id, gone.id]));
    }
    const visible = await seenBy(envUser);
    expect([here.id, there.id, gone.id].map((id) => visible.has(id))).toEqual([true, false, false]);
    expect(await seenBy(outsider)).toEqual(new Set());
    const [thereTask] = await tasks.tasksOf(there.id);
    for (const id of [thereTask?.id ?? '', goneTask?.id ?? '']) {
      await expect(tasks.call(envUser, get, { id })).rejects.toEqual(refusal('not_found'));
    }
  });

  test('filters by state and time', async () => {
    const { id } = await tasks.installed();
    const later = await request(bot, id, reinstall, tomorrow());
    const ids = async (query: NonNullable<Parameters<typeof tasks.call<typeof list>>[2]['query']>) =>
      (await tasks.call(owner, list, { query: { deployment_id: id, ...query } })).items.map((task) => task.id);

    expect(await ids({})).toEqual([later.id, expect.any(String)]);
    expect(await ids({ active_only: true })).toEqual([later.id]);
    expect(await ids({ show_future: false })).not.toContain(later.id);
    expect(await ids({ status: 'Done' })).toHaveLength(1);
    expect(await ids({ created_from: tomorrow() })).toEqual([]);
    expect(await ids({ created_from: later.created_at })).toEqual([later.id]);
  });

  test('a pending task tells why it waits', async () => {
    const { id } = await tasks.create();
    const [first] = await tasks.tasksOf(id);
    const second = await request(owner, id, upgrade(2));

    expect(first?.reason).toMatch(/^(about to start|no free runner)/);
    expect(second.reason).toBe(`waiting for task ${first?.id}`);
    await tasks.runAll();
    expect((await tasks.tasksOf(id)).map(({ reason }) => reason)).toEqual([null, null]);
  });
});

describe('superseding', () => {
  const awaits = async (claimed: { task_id: string; fence: number }) => {
    const { task_id, fence } = claimed;
    await tasks.beginHelm(claimed);
    await tasks.runner.call(runnerTasks.operations.heartbeat, { body: { task_id, fence, awaits: 'readiness' } });
  };
  /** A deployment whose Upgrade never gets ready. */
  const stuck = async () => {
    const { id } = await tasks.installed();
    await tasks.call(owner, update, { id, body: { config: { replicas: 2 } } });
    const claimed = await tasks.claimed();
    await awaits(claimed);
    return { id, claimed };
  };
  const fix = (id: string, query: { supersede?: boolean } = { supersede: true }, as: Identity = owner) =>
    tasks.call(as, update, { id, query, body: { config: { replicas: 3 } } });
  const newestOf = async (id: string) => (await tasks.tasksOf(id))[0]?.id;

  test('a fix ends the deploy that only awaits readiness, starts at once and is done', async () => {
    const { id, claimed } = await stuck();

    await fix(id);

    const by = await newestOf(id);
    expect(await tasks.task(claimed.task_id)).toMatchObject({
      status: 'Canceled',
      reason: `superseded by task ${by}`,
      canceled_by_user_id: owner.id,
      finished_at: expect.any(String),
    });
    await expect(tasks.heartbeat(claimed)).rejects.toEqual(refusal('conflict'));
    await expect(tasks.finish(claimed)).rejects.toEqual(refusal('conflict'));
    const next = await tasks.claimed();
    expect(next).toMatchObject({ task_id: by, action: 'deploy' });
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Upgrading' });
    await tasks.finish(next);
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running', revision_id: by });
  });

  test.for<[string, boolean, { supersede?: boolean }]>([
    ['without the parameter', true, {}],
    ['with supersede=false', true, { supersede: false }],
    ['while Helm or a hook works, or for a runner that never says what it awaits', false, { supersede: true }],
  ])('a fix waits as ever %s', async ([, isAwaiting, query]) => {
    const { id } = await tasks.installed();
    await tasks.call(owner, update, { id, body: { config: { replicas: 2 } } });
    const claimed = await tasks.claimed();
    if (isAwaiting) await awaits(claimed);
    else await tasks.beginHelm(claimed);

    await fix(id, query);

    expect(await tasks.task(claimed.task_id)).toMatchObject({ status: 'Started' });
    expect(await tasks.claim()).toBeNull();
    expect(await tasks.task((await newestOf(id)) ?? '')).toMatchObject({
      reason: `waiting for task ${claimed.task_id}`,
    });
    await tasks.finish(claimed);
    await tasks.runAll();
  });

  test('needs the role of a cancellation, and changes nothing without it', async () => {
    const { id, claimed } = await stuck();
    const before = await tasks.deployment(id);

    await expect(fix(id, { supersede: true }, maintainer)).rejects.toEqual(refusal('forbidden', 'creator of the task'));
    expect(await tasks.deployment(id)).toEqual(before);
    await expect(fix(id, {}, maintainer)).resolves.toMatchObject({ config: { replicas: 3 } });
    expect(await tasks.task(claimed.task_id)).toMatchObject({ status: 'Started' });
    await tasks.finish(claimed, 'Failed');
    await tasks.runAll();
  });

  test('a bot supersedes what it requested itself', async () => {
    const { id } = await tasks.installed();
    await tasks.call(bot, update, { id, body: { config: { replicas: 2 } } });
    const claimed = await tasks.claimed();
    await awaits(claimed);

    await fix(id, { supersede: true }, bot);

    expect(await tasks.task(claimed.task_id)).toMatchObject({ status: 'Canceled', canceled_by_user_id: null });
    await tasks.runAll();
  });

  test('a retry and a rollback supersede as well, and a change that queues no task does not', async () => {
    const { id } = await tasks.installed();
    const [installed] = await tasks.tasksOf(id);
    await tasks.call(owner, update, { id, body: { config: { replicas: 2 } } });
    await tasks.finish(await tasks.claimed(), 'Failed', 'no image');
    const failed = (await newestOf(id)) ?? '';
    await tasks.call(owner, retry, { id: failed });
    const first = await tasks.claimed();
    await awaits(first);
    await tasks.call(owner, update, { id, query: { supersede: true }, body: { description_md: 'no task' } });
    expect(await tasks.task(first.task_id)).toMatchObject({ status: 'Started' });

    const retried = await tasks.call(owner, retry, { id: failed, query: { supersede: true } });

    expect(await tasks.task(first.task_id)).toMatchObject({ reason: `superseded by task ${retried.id}` });
    const second = await tasks.claimed();
    expect(second.task_id).toBe(retried.id);
    await awaits(second);
    const back = await tasks.call(owner, deploymentTasks.operations.rollback, {
      id,
      query: { supersede: true },
      body: { task_id: installed?.id ?? '' },
    });
    expect(await tasks.task(second.task_id)).toMatchObject({ reason: `superseded by task ${back.id}` });
    await tasks.runAll();
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running', config: { replicas: 1 } });
  });

  test('disabling and deleting always go on at once', async () => {
    const disabled = await stuck();
    await tasks.call(owner, update, { id: disabled.id, body: { enabled: false } });
    expect(await tasks.task(disabled.claimed.task_id)).toMatchObject({ status: 'Canceled' });
    expect(await tasks.claimed()).toMatchObject({ deployment_id: disabled.id, action: 'uninstall' });
    await tasks.runAll();

    const deleted = await stuck();
    await tasks.call(owner, remove, { id: deleted.id });
    expect(await tasks.task(deleted.claimed.task_id)).toMatchObject({ status: 'Canceled' });
    expect(await tasks.deployment(deleted.id)).toMatchObject({ status: 'Deleting' });
    expect(await tasks.runAll()).toMatchObject([{ action: 'uninstall' }]);
    await expect(tasks.deployment(deleted.id)).rejects.toEqual(refusal('not_found'));
  });

  test('a cancellation that was requested before keeps its reason', async () => {
    const { id, claimed } = await stuck();
    await cancelIt(owner, claimed.task_id, 'too slow');

    await fix(id);

    expect(await tasks.task(claimed.task_id)).toMatchObject({ status: 'Canceled', reason: 'too slow' });
    await tasks.runAll();
  });

  test('a repeat with a key that an older version remembered without the parameter is the same request', async () => {
    const { id } = await tasks.installed();
    await tasks.call(owner, update, { id, body: { config: { replicas: 2 } } });
    await tasks.finish(await tasks.claimed(), 'Failed', 'no image');
    const failed = (await newestOf(id)) ?? '';
    const idempotencyKey = randomUUID();

    const first = await tasks.call(owner, retry, { id: failed }, { idempotencyKey });
    expect((await tasks.call(owner, retry, { id: failed, query: {} }, { idempotencyKey })).id).toBe(first.id);
    const other = tasks.call(owner, retry, { id: failed, query: { supersede: true } }, { idempotencyKey });
    await expect(other).rejects.toEqual(refusal('unprocessable'));
    await tasks.runAll();
  });
});
