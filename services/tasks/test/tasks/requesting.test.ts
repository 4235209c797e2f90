import type { Identity } from '@berth/contracts/access/identity';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { deployments } from '@berth/contracts/resources/deployments/deployments';
import type { RequestedOperation } from '@berth/contracts/resources/tasks/task-operation';
import { sampleIdentities } from '@berth/testing/test-identities';
import { wrongClock } from '@berth/testing/wrong-clock';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Current } from '../../src/tasks/claims/requester-rights.ts';
import { refusal } from '../support/refusal.ts';
import { sampleChart } from '../support/sample-charts.ts';
import { envId, startTasksInTest, type TasksInTest, until } from '../support/tasks-in-test.ts';

let tasks: TasksInTest;
beforeAll(async () => {
  // The clock of the database decides when a task is due; tests must not depend on the clock of the host.
  tasks = await startTasksInTest(wrongClock(-3_600_000));
});
afterAll(() => tasks?.[Symbol.asyncDispose]());

const { siteAdmin, owner, maintainer, envUser, bot, outsider } = sampleIdentities;
const { create, cancel, retry } = deploymentTasks.operations;

const request = (as: Identity, deployment_id: string, operation: RequestedOperation, execute_at?: string) =>
  tasks.call(as, create, { body: { deployment_id, operation, ...(execute_at !== undefined && { execute_at }) } });
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const tomorrow = () => inMs(86_400_000);

const upgrade = (replicas: number, values_override: { [key: string]: number } | null = null): RequestedOperation => ({
  Upgrade: { helm_chart_id: tasks.chartId, config_inputs: { replicas }, values_override },
});
const install = (replicas: number): RequestedOperation => ({
  Install: { helm_chart_id: tasks.chartId, config_inputs: { replicas }, values_override: null },
});
const reinstall: RequestedOperation = { Reinstall: { reason: 'to be sure' } };

const later = () => inMs(3_600_000);

/** Makes them due. */
const makeDue = (...ids: string[]) =>
  tasks.database.db.query(statement`
    update deployment_tasks set due_at = now(), execute_at = now() where id = any(${sql.array(ids, 'uuid')})
  `);

/** Waits for a task that a claim ends without a runner. */
const ended = (id: string) =>
  until(async () => {
    const claimed = await tasks.claim();
    if (claimed) throw new Error(`task ${claimed.task_id} has started`);
    const task = await tasks.task(id);
    return task.finished_at !== null && task;
  });

describe('requesting a task', () => {
  test('an Upgrade changes the deployment and records its own delta and previous chart', async () => {
    const { id } = await tasks.installed();

    const task = await request(maintainer, id, {
      Upgrade: {
        helm_chart_id: tasks.chartId,
        config_inputs: { replicas: 2 },
        values_override: null,
        prev_helm_chart_id: crypto.randomUUID(),
        config_delta: { lies: [1, 2] },
      },
    });

    expect(task).toMatchObject({
      status: 'Pending',
      acting_user_id: maintainer.id,
      operation: { Upgrade: { prev_helm_chart_id: tasks.chartId, config_delta: { replicas: [1, 2] } } },
    });
    expect(await tasks.deployment(id)).toMatchObject({ config: { replicas: 2 } });
  });

  test('a time that has passed by the clock of the database means now, whatever the clock of the host', async () => {
    const { id } = await tasks.installed();

    await request(maintainer, id, upgrade(2), inMs(-60_000));

    expect(await tasks.deployment(id)).toMatchObject({ config: { replicas: 2 } });
    await tasks.runAll();
  });

  test('an Upgrade without a change is run', async () => {
    const { id } = await tasks.installed();

    const { id: task_id } = await request(maintainer, id, upgrade(1));

    expect(await tasks.runAll()).toMatchObject([{ task_id, action: 'deploy' }]);
  });

  test('Install and Uninstall enable and disable a deployment, for owners', async () => {
    const { id } = await tasks.installed();
    for (const identity of [maintainer, bot]) {
      await expect(request(identity, id, { Uninstall: {} })).rejects.toEqual(refusal('forbidden', 'owner'));
      await expect(request(identity, id, install(1))).rejects.toEqual(refusal('forbidden', 'owner'));
      await expect(request(identity, id, upgrade(1, { a: 1 }))).rejects.toEqual(refusal('forbidden', 'owner'));
    }
    await expect(request(owner, id, install(1))).rejects.toEqual(refusal('conflict', 'enabled already'));

    await request(owner, id, { Uninstall: {} });

    expect(await tasks.deployment(id)).toMatchObject({ enabled: false });
    for (const operation of [{ Uninstall: {} }, upgrade(1), reinstall]) {
      await expect(request(owner, id, operation)).rejects.toEqual(refusal('conflict', 'disabled'));
    }
    await request(owner, id, install(3));
    await tasks.runAll();
    expect(await tasks.deployment(id)).toMatchObject({ enabled: true, status: 'Running', config: { replicas: 3 } });
  });

  test('a Reinstall repeats the revision', async () => {
    const { id, revision_id } = await tasks.installed({ config: { replicas: 4 } });

    await request(bot, id, reinstall);

    expect(await tasks.claimed()).toMatchObject({
      action: 'deploy',
      values: { replicaCount: 4, berth: { revision_id } },
    });
    const [task] = await tasks.tasksOf(id);
    expect(task).toMatchObject({ status: 'Started', acting_user_id: null, acting_deployment_id: null });
  });

  test('a Reinstall of a deployment that is not installed is refused', async () => {
    const { id } = await tasks.create();
    await tasks.finish(await tasks.claimed(), 'Failed', 'no');

    await expect(request(owner, id, reinstall)).rejects.toEqual(refusal('conflict', 'Nothing is installed'));
  });

  test('a Reinstall after a failed Install keeps the reason of the failure', async () => {
    const { id } = await tasks.create();
    const install = await tasks.claimed();
    const again = await request(owner, id, reinstall);

    await tasks.finish(install, 'Failed', 'image not found');

    expect(await tasks.claim()).toBeNull();
    expect(await tasks.task(again.id)).toMatchObject({
      status: 'Canceled',
      reason: 'Nothing is installed, so there is nothing to reinstall',
      canceled_by_user_id: null,
    });
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Error', reason: 'Install failed: image not found' });
  });

  test('a Reinstall of a deployment that was disabled meanwhile changes nothing', async () => {
    const { id } = await tasks.installed();
    const again = await request(owner, id, reinstall, later());
    await request(owner, id, { Uninstall: {} });
    await tasks.finish(await tasks.claimed());
    await makeDue(again.id);

    const canceled = await ended(again.id);

    expect(canceled).toMatchObject({ status: 'Canceled', reason: 'The deployment was disabled meanwhile' });
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Uninstalled', reason: null });
  });

  test('a Reinstall that had begun when its deployment was disabled leaves no transient state', async () => {
    const { id } = await tasks.installed();
    const again = await request(owner, id, reinstall);
    await tasks.finish(await tasks.claimed(), 'HandedBack');
    const uninstall = await request(owner, id, { Uninstall: {} });
    const claimed = await tasks.claimed();
    expect(claimed).toMatchObject({ task_id: uninstall.id });
    await tasks.finish(claimed, 'HandedBack');

    await tasks.call(owner, cancel, { id: uninstall.id });

    expect(await tasks.task(again.id)).toMatchObject({ status: 'Canceled' });
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Error', reason: expect.stringContaining('retry') });
  });

  test.for<[string, RequestedOperation, Parameters<typeof refusal>]>([
    [
      'a Recreate',
      {
        Recreate: {
          old_cluster_id: crypto.randomUUID(),
          old_namespace: 'a',
          new_cluster_id: crypto.randomUUID(),
          new_namespace: 'b',
        },
      },
      ['unprocessable', 'rename or move', 'body.operation.Recreate'],
    ],
  ])('%s is refused', async ([, operation, words]) => {
    const { id } = await tasks.create();

    await expect(request(owner, id, operation)).rejects.toEqual(refusal(...words));
  });

  test('a request that does not fit names the field of the operation', async () => {
    const { id } = await tasks.installed();

    await expect(request(owner, id, upgrade(99))).rejects.toEqual(
      refusal('unprocessable', '', 'body.operation.Upgrade.config_inputs.replicas'),
    );
    await expect(request(outsider, id, reinstall)).rejects.toEqual(
      refusal('unprocessable', 'no such deployment', 'body.deployment_id'),
    );
    await expect(request(envUser, id, reinstall)).rejects.toEqual(refusal('forbidden', 'maintainer'));
  });

  test('the number of waiting tasks is limited', async () => {
    const { id } = await tasks.installed();
    for (let n = 0; n < 100; n += 1) await request(bot, id, reinstall);

    await expect(request(bot, id, reinstall)).rejects.toEqual(refusal('conflict', '100 tasks'));

    await tasks.call(owner, deployments.operations.delete, { id });
    await tasks.runAll();
  });
});

describe('a scheduled task', () => {
  test('changes the deployment when it starts, not before', async () => {
    const { id } = await tasks.installed();

    const task = await request(maintainer, id, upgrade(7), later());

    expect(task.reason).toBe(`scheduled for ${task.execute_at}`);
    expect(await tasks.deployment(id)).toMatchObject({ config: { replicas: 1 }, status: 'Running' });
    expect(await tasks.claim()).toBeNull();
    await makeDue(task.id);
    const claimed = await tasks.claimed();
    expect(claimed).toMatchObject({ task_id: task.id, values: { replicaCount: 7 } });
    expect(await tasks.deployment(id)).toMatchObject({ config: { replicas: 7 }, status: 'Upgrading' });
    await tasks.finish(claimed);
  });

  test('records the delta from the state at its start', async () => {
    const { id } = await tasks.installed();
    const task = await request(maintainer, id, upgrade(3), later());
    await request(maintainer, id, upgrade(2));
    await tasks.finish(await tasks.claimed());
    await makeDue(task.id);

    await tasks.finish(await tasks.claimed());

    expect((await tasks.task(task.id)).operation).toMatchObject({ Upgrade: { config_delta: { replicas: [2, 3] } } });
  });

  test('keeps an override that it did not set and that was changed meanwhile', async () => {
    const { id } = await tasks.installed();
    const task = await request(maintainer, id, upgrade(3), later());
    const canceled = await request(maintainer, id, upgrade(4), tomorrow());
    await tasks.call(owner, deployments.operations.update, { id, body: { values_override: { a: 1 } } });
    await makeDue(task.id);

    const scheduled = await until(async () => (await tasks.runAll()).find(({ task_id }) => task_id === task.id));

    expect(scheduled).toMatchObject({ values: { replicaCount: 3, a: 1 } });
    await tasks.call(maintainer, cancel, { id: canceled.id });
    await tasks.call(maintainer, retry, { id: canceled.id });
    expect(await tasks.runAll()).toMatchObject([{ values: { replicaCount: 4, a: 1 } }]);
    expect(await tasks.deployment(id)).toMatchObject({ values_override: { a: 1 } });
  });

  test('can be retried only by owners if its change is for owners', async () => {
    const { id } = await tasks.installed();
    const withOverride = await request(owner, id, upgrade(1, { a: 1 }), tomorrow());
    const disabling = await request(owner, id, { Uninstall: {} }, tomorrow());
    const demoted = { ...owner, deployment_roles: maintainer.deployment_roles };

    for (const { id: task_id } of [withOverride, disabling]) {
      await tasks.call(owner, cancel, { id: task_id });
      await expect(tasks.call(demoted, retry, { id: task_id })).rejects.toEqual(refusal('forbidden', 'owner'));
    }
    await tasks.call(owner, retry, { id: withOverride.id });

    expect(await tasks.runAll()).toMatchObject([{ values: { a: 1 } }]);
  });

  test('is canceled without changing the deployment if nothing is left to do', async () => {
    const { id } = await tasks.installed();
    const disabled = await tasks.installed();
    const enabling = await request(owner, id, install(9), later());
    const disabling = await request(owner, disabled.id, { Uninstall: {} }, later());
    const upgrading = await request(owner, disabled.id, upgrade(9), later());
    await tasks.call(owner, deployments.operations.update, { id: disabled.id, body: { enabled: false } });
    await tasks.finish(await tasks.claimed());
    await makeDue(enabling.id, disabling.id, upgrading.id);

    const canceled = await Promise.all([ended(enabling.id), ended(disabling.id), ended(upgrading.id)]);

    expect(canceled.map(({ status, reason }) => ({ status, reason }))).toEqual([
      { status: 'Canceled', reason: 'The deployment is enabled already' },
      { status: 'Canceled', reason: 'The deployment is disabled' },
      { status: 'Canceled', reason: 'The deployment is disabled' },
    ]);
    const config = { replicas: 1 };
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running', reason: null, config });
    expect(await tasks.deployment(disabled.id)).toMatchObject({ status: 'Uninstalled', reason: null, config });
  });

  test('cancels deploys that are queued behind it if it disables the deployment', async () => {
    const { id } = await tasks.installed();
    await tasks.publish.cluster({ id: tasks.clusterId, env_id: envId, is_ok: false });
    const disabling = await request(owner, id, { Uninstall: {} }, later());
    await makeDue(disabling.id);
    await until(async () => (await tasks.task(disabling.id)).reason?.includes('not reachable'));
    const behind = await request(owner, id, upgrade(2));
    await tasks.publish.cluster({ id: tasks.clusterId, env_id: envId });

    await tasks.finish(await tasks.claimed());

    expect(await ended(behind.id)).toMatchObject({
      status: 'Canceled',
      reason: 'The deployment was disabled meanwhile',
    });
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Uninstalled', enabled: false });
  });

  test('fails without changing the deployment if it no longer fits', async () => {
    const { id } = await tasks.installed();
    const chart = await tasks.publish.chart(sampleChart());
    const operation = { Upgrade: { helm_chart_id: chart.id, config_inputs: { replicas: 2 }, values_override: null } };
    const task = await request(owner, id, operation, later());
    await tasks.withdraw(chart);
    await makeDue(task.id);

    const failed = await until(async () => {
      await tasks.claim();
      const now = await tasks.task(task.id);
      return now.status === 'Failed' && now;
    });

    expect(failed.reason).toContain('the chart is no longer available');
    expect(await tasks.deployment(id)).toMatchObject({ config: { replicas: 1 }, helm_chart_id: tasks.chartId });
  });

  test('fails because of a bug without delaying others', async () => {
    const { id } = await tasks.installed();
    const { id: helm_chart_id } = await tasks.publish.chart(sampleChart());
    const operation = { Upgrade: { helm_chart_id, config_inputs: { replicas: 2 }, values_override: null } };
    const task = await until(() => request(owner, id, operation, later()).catch(() => null));
    await tasks.database.db.query(
      statement`update helm_chart_projection set values_ui = '[5]' where id = ${helm_chart_id}`,
    );
    await makeDue(task.id);

    const failed = await until(async () => {
      await tasks.claim();
      const now = await tasks.task(task.id);
      return now.status === 'Failed' && now;
    });

    expect(failed.reason).toBe('An internal error of the platform kept the task from starting');
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Error', helm_chart_id: tasks.chartId });
    expect(tasks.process.log()).toContain('a claimed task could not be started');
    await tasks.create();
    expect(await tasks.runAll()).toHaveLength(1);
  });

  test('may disable later, and is refused if it does not fit now', async () => {
    const { id } = await tasks.installed();

    await expect(request(owner, id, upgrade(99), tomorrow())).rejects.toEqual(refusal('unprocessable'));
    const task = await request(owner, id, { Uninstall: {} }, later());

    expect(await tasks.deployment(id)).toMatchObject({ enabled: true });
    await makeDue(task.id);
    await tasks.finish(await tasks.claimed());
    expect(await tasks.deployment(id)).toMatchObject({ enabled: false, status: 'Uninstalled' });
  });

  test('wakes the runners when it is created, and once more when it becomes due', async () => {
    const { id } = await tasks.installed();
    const stop = new AbortController();
    const woken: number[] = [];
    tasks.runner.hints.listen('tasks_due', () => woken.push(Date.now()), { signal: stop.signal });
    await tasks.runner.listening();

    await request(bot, id, reinstall);
    const scheduled = await request(bot, id, reinstall, inMs(4_000));
    const dueAt = Date.parse(scheduled.execute_at);
    await until(async () => woken.some((time) => time >= dueAt));
    stop.abort();

    expect(woken).toHaveLength(3);
    await tasks.runAll();
  });

  test('wakes the runners when it becomes due', async () => {
    const { id } = await tasks.installed();
    const stop = new AbortController();
    const woken: number[] = [];
    tasks.runner.hints.listen('tasks_due', () => woken.push(Date.now()), { signal: stop.signal });
    await tasks.runner.listening();

    const task = await request(bot, id, reinstall, inMs(1_000));

    const dueAt = Date.parse(task.execute_at);
    await expect.poll(() => woken.some((time) => time >= dueAt)).toBe(true);
    stop.abort();
    await tasks.runAll();
  });
});

describe('the requester of a scheduled change', () => {
  const { update, delete: remove } = deployments.operations;
  const answering = async <T>(id: string, answer: Current, work: () => Promise<T>): Promise<T> => {
    const before = tasks.people.get(id) ?? { missing: 'unknown' };
    tasks.people.set(id, answer);
    return work().finally(() => tasks.people.set(id, before));
  };
  const whenDue = async (by: Identity, operation: RequestedOperation) => {
    const { id } = await tasks.installed();
    const requested = await request(by, id, operation, later());
    await makeDue(requested.id);
    const task = await ended(requested.id);
    return { task, deployment: await tasks.deployment(id) };
  };
  const demoted = { ...owner, deployment_roles: maintainer.deployment_roles };

  test.for<[string, Identity, Current, () => RequestedOperation, string]>([
    [
      'a user who is not active',
      maintainer,
      { missing: 'inactive' },
      () => upgrade(2),
      'The user who requested it is no longer active',
    ],
    [
      'a user who is gone',
      maintainer,
      { missing: 'unknown' },
      () => upgrade(2),
      'The user who requested it no longer exists',
    ],
    [
      'a user who has left the env',
      maintainer,
      { identity: { ...maintainer, env_roles: {} } },
      () => upgrade(2),
      'The user who requested it is no longer a maintainer of the deployment',
    ],
    [
      'a user who was an owner, and disables',
      owner,
      { identity: demoted },
      () => ({ Uninstall: {} }),
      'The user who requested it is no longer an owner of the deployment',
    ],
    [
      'a user who was an owner, and overrides',
      owner,
      { identity: demoted },
      () => upgrade(1, { a: 1 }),
      'The user who requested it is no longer an owner of the deployment',
    ],
    [
      'a bot that is not active',
      bot,
      { missing: 'inactive' },
      () => upgrade(2),
      'The bot that requested it is no longer active',
    ],
    ['a bot that is gone', bot, { missing: 'unknown' }, () => upgrade(2), 'The bot that requested it no longer exists'],
  ])('is refused when it starts: %s', async ([, by, answer, operation, reason]) => {
    const { task, deployment } = await answering(by.id, answer, () => whenDue(by, operation()));

    expect(task).toMatchObject({ status: 'Failed', reason });
    const unchanged = { enabled: true, config: { replicas: 1 }, values_override: null };
    expect(deployment).toMatchObject({ ...unchanged, reason: `${Object.keys(operation())[0]} failed: ${reason}` });
  });

  test('may be a user who lost a role but has another sufficient one', async () => {
    const { id } = await tasks.installed();
    const task = await request(owner, id, upgrade(2), later());

    await answering(owner.id, { identity: demoted }, async () => {
      await makeDue(task.id);
      expect(await tasks.runAll()).toMatchObject([{ task_id: task.id }]);
    });
  });

  test('is refused if it is a deployment that was disabled, deleted or moved to another env', async () => {
    const { id } = await tasks.installed();
    const requested: [string, string][] = [];
    const leave = {
      'The deployment that requested it is disabled': (parent: string) =>
        tasks.call(owner, update, { id: parent, body: { enabled: false } }),
      'The deployment that requested it no longer exists': (parent: string) =>
        tasks.call(owner, remove, { id: parent }),
      'The deployment that requested it is no longer a maintainer of the deployment': (parent: string) =>
        tasks.call(siteAdmin, update, { id: parent, body: { cluster_id: tasks.otherClusterId } }),
    };
    for (const [reason, work] of Object.entries(leave)) {
      const parent = await tasks.installed();
      const task = await request({ kind: 'deployment', id: parent.id, env_id: envId }, id, upgrade(2), later());
      expect(task).toMatchObject({ acting_deployment_id: parent.id });
      await work(parent.id);
      await tasks.runAll();
      requested.push([task.id, reason]);
    }

    for (const [task, reason] of requested) {
      await makeDue(task);
      expect(await ended(task)).toMatchObject({ status: 'Failed', reason });
    }
  });

  test('is looked up again while auth does not answer, and other tasks continue', async () => {
    const { id } = await tasks.installed();
    const change = await request(bot, id, upgrade(2), later());
    const other = await tasks.installed();
    const again = await request(bot, other.id, reinstall);
    tasks.people.away = true;
    await makeDue(change.id);

    const claimed = await tasks.runAll();

    expect(claimed).toMatchObject([{ task_id: again.id }]);
    expect(await tasks.task(change.id)).toMatchObject({
      status: 'Pending',
      attempts: 0,
      reason: expect.stringContaining('the service auth does not answer'),
    });
    tasks.people.away = false;
    await makeDue(change.id);
    expect(await tasks.runAll()).toMatchObject([{ task_id: change.id, values: { replicaCount: 2 } }]);
  });

  test('retries it with current rights only, like a deletion and any other task', async () => {
    const { id } = await tasks.installed();
    const { id: change } = await request(maintainer, id, upgrade(2), later());
    const { id: now } = await request(maintainer, id, upgrade(3));
    for (const task of [change, now]) await tasks.call(owner, cancel, { id: task });
    await tasks.call(owner, remove, { id });
    const deletion = (await tasks.tasksOf(id)).find(({ operation }) => 'Uninstall' in operation);
    await tasks.call(owner, cancel, { id: deletion?.id ?? '' });
    const bare = { ...maintainer, deployment_roles: [] };

    for (const task of [change, now]) {
      await expect(tasks.call(bare, retry, { id: task })).rejects.toEqual(refusal('forbidden', 'maintainer'));
    }
    await expect(tasks.call(demoted, retry, { id: deletion?.id ?? '' })).rejects.toEqual(refusal('forbidden', 'owner'));
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running' });
  });
});
