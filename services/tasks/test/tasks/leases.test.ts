import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { deploymentUsage } from '@berth/contracts/resources/deployments/deployment-usage';
import { deployments } from '@berth/contracts/resources/deployments/deployments';
import { type ClaimedTask, type LogLine, runnerTasks } from '@berth/contracts/resources/tasks/runner-tasks';
import { identityToken, sampleIdentities } from '@berth/testing/test-identities';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { refusal } from '../support/refusal.ts';
import { envId, startTasksInTest, type TasksInTest, until, usualLeaseMs } from '../support/tasks-in-test.ts';

let tasks: TasksInTest;
beforeAll(async () => {
  tasks = await startTasksInTest();
});
afterAll(() => tasks?.[Symbol.asyncDispose]());

const { owner, outsider } = sampleIdentities;
const { append_log } = runnerTasks.operations;
const { log, log_lines, cancel } = deploymentTasks.operations;

const line = (text: string): LogLine => ({ at: '2026-01-01T00:00:00.000Z', source: 'stdout', text });
const append = ({ task_id, fence }: Pick<ClaimedTask, 'task_id' | 'fence'>, first: number, ...texts: string[]) =>
  tasks.runner.call(append_log, { body: { task_id, fence, first, lines: texts.map(line) } });
/** The runner has been silent for a whole lease. */
const expire = ({ task_id }: Pick<ClaimedTask, 'task_id'>) =>
  tasks.database.db.query(statement`
    update deployment_tasks set lease_until = clock_timestamp() where id = ${task_id} and status = 'Started'
  `);
/** The start of the lease, by the clock of the database. */
const leasedAt = ({ task_id }: Pick<ClaimedTask, 'task_id'>) =>
  tasks.database.db.oneFirst(sql.type(z.object({ at: z.number() }))`
    select extract(epoch from lease_until)::float * 1000 - ${usualLeaseMs} as at from deployment_tasks where id = ${task_id}
  `);
const databaseTime = () =>
  tasks.database.db.oneFirst(sql.type(z.object({ now: z.number() }))`
    select extract(epoch from clock_timestamp())::float * 1000 as now
  `);
const logOf = (id: string) => tasks.call(owner, log, { id });

describe('a runner that falls silent', () => {
  test('loses its task to another runner, and its later writes are refused', async () => {
    const { id } = await tasks.create();
    const first = await tasks.claimed();
    await tasks.beginHelm(first);
    await append(first, 0, 'from the first');
    await expire(first);

    const second = await tasks.claimed();

    expect(second).toMatchObject({ task_id: first.task_id, attempt: 2 });
    expect(second.fence).toBeGreaterThan(first.fence);
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Installing' });
    await expect(tasks.heartbeat(first)).rejects.toEqual(refusal('conflict', 'another runner'));
    await expect(tasks.beginHelm(first)).rejects.toEqual(refusal('conflict', 'another runner'));
    await expect(append(first, 1, 'too late')).rejects.toEqual(refusal('conflict', 'another runner'));
    await expect(tasks.finish(first, 'Failed', 'too late')).rejects.toEqual(refusal('conflict', 'another runner'));
    await append(second, 0, 'from the second');
    await tasks.beginHelm(second);
    await tasks.finish(second);
    await expect(tasks.finish(first)).rejects.toEqual(refusal('conflict', 'another runner'));
    expect(await tasks.task(first.task_id)).toMatchObject({ status: 'Done', attempts: 2 });
    expect(await logOf(first.task_id)).toBe(
      '2026-01-01T00:00:00.000Z stdout: from the first\n2026-01-01T00:00:00.000Z stdout: from the second\n',
    );
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running' });
  });

  test('cannot report a result, even before another runner has taken over', async () => {
    await tasks.create();
    const lost = await tasks.claimed();
    await expire(lost);
    await until(async () => (await tasks.task(lost.task_id)).status === 'Pending');

    await expect(tasks.finish(lost)).rejects.toEqual(refusal('conflict', 'another runner'));
    await expect(tasks.heartbeat(lost)).rejects.toEqual(refusal('conflict', 'another runner'));

    await tasks.finish(await tasks.claimed());
  });

  test('keeps its task as long as its heartbeats arrive', async () => {
    await tasks.create();
    const beforeClaim = await databaseTime();
    const claimed = await tasks.claimed();
    const beforeHeartbeat = await databaseTime();
    expect(await leasedAt(claimed)).toBeGreaterThanOrEqual(beforeClaim);
    expect(await leasedAt(claimed)).toBeLessThanOrEqual(beforeHeartbeat);

    expect(await tasks.heartbeat(claimed)).toEqual({ lease_ms: usualLeaseMs, cancel_requested: false });

    expect(await leasedAt(claimed)).toBeGreaterThanOrEqual(beforeHeartbeat);
    expect(await leasedAt(claimed)).toBeLessThanOrEqual(await databaseTime());
    expect(await tasks.claim()).toBeNull();
    await tasks.finish(claimed);
  });

  test('loses its task even if another task cannot be taken back', async () => {
    await tasks.create();
    const broken = await tasks.claimed();
    const { operation } = await tasks.task(broken.task_id);
    const write = (json: object) =>
      tasks.database.db.query(
        statement`
          update deployment_tasks set operation = ${sql.jsonb({ ...json })} where id = ${broken.task_id}
        `,
      );
    await write({ Nonsense: {} });
    await tasks.create();
    const other = await tasks.claimed();
    const { task_id } = other;
    // The broken task is the first to be taken back.
    await expire(broken);
    await expire(other);

    const again = await tasks.claimed();

    await tasks.finish(again);
    // Helm had not begun, so this was not an attempt.
    expect(again).toMatchObject({ task_id, attempt: 1 });
    expect(tasks.process.log()).toContain('an expired claim could not be taken back');
    await write(operation);
    await until(async () => (await tasks.task(broken.task_id)).status === 'Pending');
    await tasks.runAll();
  });

  test('makes its task fail if Helm was running for the third time', async () => {
    const { id } = await tasks.create();
    for (const attempt of [1, 2, 3]) {
      const claimed = await tasks.claimed();
      expect(claimed).toMatchObject({ attempt });
      await tasks.beginHelm(claimed);
      await expire(claimed);
    }

    await until(async () => (await tasks.deployment(id)).status === 'Error');

    const [task] = await tasks.tasksOf(id);
    expect(task).toMatchObject({
      status: 'Failed',
      attempts: 3,
      reason: 'Its runner stopped answering (attempt 3 of 3)',
    });
    expect(await tasks.deployment(id)).toMatchObject({
      reason: 'Install failed: Its runner stopped answering (attempt 3 of 3)',
    });
    expect(await tasks.claim()).toBeNull();
  });

  test('makes its task end as canceled if cancellation was requested', async () => {
    await tasks.create();
    const claimed = await tasks.claimed();
    const { task_id } = claimed;
    await tasks.call(owner, cancel, { id: task_id, body: { reason: 'enough' } });
    await expire(claimed);

    await until(async () => (await tasks.task(task_id)).status === 'Canceled');

    expect(await tasks.task(task_id)).toMatchObject({ reason: 'enough', attempts: 0 });
  });
});

describe('a claim that awaits readiness', () => {
  const awaits = ({ task_id, fence }: Pick<ClaimedTask, 'task_id' | 'fence'>) =>
    tasks.runner.call(runnerTasks.operations.heartbeat, { body: { task_id, fence, awaits: 'readiness' } });
  const begun = async () => {
    await tasks.create();
    const claimed = await tasks.claimed();
    await tasks.beginHelm(claimed);
    return claimed;
  };

  test('whose runner falls silent is continued by another one, even after the last attempt', async () => {
    let claimed = await begun();
    for (let attempt = 1; attempt < 3; attempt += 1) {
      await expire(claimed);
      claimed = await tasks.claimed();
      await tasks.beginHelm(claimed);
    }
    await awaits(claimed);
    await tasks.heartbeat(claimed);

    await expire(claimed);
    const next = await tasks.claimed();

    expect(next.task_id).toBe(claimed.task_id);
    expect(await tasks.task(claimed.task_id)).toMatchObject({ status: 'Started', attempts: 3 });
    await tasks.finish(next);
  });

  test('ends with its task, and its later heartbeats are refused', async () => {
    const claimed = await begun();
    await awaits(claimed);
    await tasks.finish(claimed, 'Failed', 'not ready');

    await expect(awaits(claimed)).rejects.toEqual(refusal('conflict', 'another runner'));
    expect(await tasks.task(claimed.task_id)).toMatchObject({ status: 'Failed', reason: 'not ready' });
  });

  test('is handed back without a pause, and is canceled when that was requested', async () => {
    const claimed = await begun();
    await awaits(claimed);
    await tasks.finish(claimed, 'HandedBack', 'stopping');

    const next = await tasks.claimed();
    await awaits(next);
    await tasks.call(owner, cancel, { id: next.task_id, body: { reason: 'enough' } });
    expect(await awaits(next)).toMatchObject({ cancel_requested: true });
    await tasks.finish(next, 'Canceled');
    expect(await tasks.task(next.task_id)).toMatchObject({ status: 'Canceled', reason: 'enough' });
  });
});

describe('the end of a claim', () => {
  test('may be reported twice', async () => {
    const { id } = await tasks.create();
    const claimed = await tasks.claimed();

    await tasks.finish(claimed);
    await tasks.finish(claimed);

    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running' });
  });

  test('puts the task back at once if the runner was stopped, and counts no attempt', async () => {
    const { id } = await tasks.create();
    const stopped = await tasks.claimed();
    await tasks.beginHelm(stopped);
    await tasks.finish(stopped, 'HandedBack', 'The runner was stopped');

    const again = await tasks.claimed();

    expect(again).toMatchObject({ deployment_id: id, attempt: 1 });
    await tasks.finish(again);
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running' });
  });

  test('counts the attempt of a runner that was stopped after its Helm had deployed, before a heartbeat said so', async () => {
    const { id } = await tasks.create();
    const stopped = await tasks.claimed();
    await tasks.beginHelm(stopped);
    const { task_id, fence } = stopped;
    const body = { task_id, fence, outcome: 'HandedBack', reason: 'The runner was stopped', helm_ended: true } as const;
    await tasks.runner.call(runnerTasks.operations.finish, { body });

    const again = await tasks.claimed();

    expect(again).toMatchObject({ deployment_id: id, attempt: 2 });
    await tasks.finish(again);
    expect(await tasks.task(task_id)).toMatchObject({ status: 'Done', attempts: 1 });
  });

  test('puts the task back after a temporary failure, and later tasks wait for it', async () => {
    const { id } = await tasks.create();
    const claimed = await tasks.claimed();
    await tasks.beginHelm(claimed);
    await tasks.call(owner, deployments.operations.update, { id, body: { config: { replicas: 2 } } });

    await tasks.finish(claimed, 'Retry', 'the object has been modified');
    await tasks.finish(claimed, 'Retry', 'the object has been modified');

    const [upgrade, install] = await tasks.tasksOf(id);
    expect(install).toMatchObject({
      status: 'Pending',
      attempts: 1,
      started_at: null,
      first_attempted_at: expect.any(String),
      reason: expect.stringMatching(/^scheduled for .* after attempt 1 failed: the object has been modified$/),
    });
    expect(upgrade).toMatchObject({ reason: `waiting for task ${install?.id}` });
    expect(await tasks.claim()).toBeNull();
    await tasks.call(owner, cancel, { id: install?.id ?? '' });
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Error' });
    await tasks.runAll();
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running' });
  });
});

describe('waiting for a dependency of a task', () => {
  const away = 'The cluster could not be reached to read the namespace: prod:6443 refused the connection';
  const startedTasks = async () =>
    tasks.database.db.exists(statement`select from deployment_tasks where status = 'Started'`);
  /** Sets the sum of the task's past pauses and makes it due. */
  const letWait = (id: string, waits: { waited_ms?: number; forbidden_ms?: number }) =>
    tasks.database.db.query(statement`
      update deployment_tasks set due_at = now(), waited_ms = ${waits.waited_ms ?? 0},
        forbidden_ms = ${waits.forbidden_ms ?? 0}
      where id = ${id} and status = 'Pending'
    `);

  test('a task that waits for its cluster says so, and neither counts an attempt nor takes a slot of the cluster', async () => {
    const { id } = await tasks.create();
    const claimed = await tasks.claimed();
    await tasks.call(owner, deployments.operations.update, { id, body: { config: { replicas: 2 } } });

    await tasks.finish(claimed, 'Unreachable', away);

    const [upgrade, install] = await tasks.tasksOf(id);
    expect(install).toMatchObject({ status: 'Pending', attempts: 0, started_at: null });
    expect(install?.reason).toMatch(/^waiting until \S+ to try again: The cluster could not be reached/);
    expect(upgrade).toMatchObject({ reason: `waiting for task ${install?.id}` });
    expect(await startedTasks()).toBe(false);
    await tasks.runAll();
    expect(await tasks.call(owner, cancel, { id: install?.id ?? '' })).toMatchObject({ status: 'Canceled' });
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Error' });
    expect(await tasks.runAll()).toMatchObject([{ task_id: upgrade?.id }]);
  });

  test('a task fails once it has waited for its cluster for ten minutes', async () => {
    const { id } = await tasks.create();
    const { task_id } = await tasks.claimed().then(async (claimed) => {
      await tasks.finish(claimed, 'Unreachable', away);
      return claimed;
    });
    await letWait(task_id, { waited_ms: 599_999 });
    await tasks.finish(await tasks.claimed(), 'Unreachable', away);
    expect(await tasks.task(task_id)).toMatchObject({ status: 'Pending', attempts: 0 });

    await letWait(task_id, { waited_ms: 600_000 });
    await tasks.finish(await tasks.claimed(), 'Unreachable', away);

    expect(await tasks.task(task_id)).toMatchObject({
      status: 'Failed',
      attempts: 0,
      reason: `${away} (waited 600 s for it)`,
    });
    expect(await tasks.deployment(id)).toMatchObject({
      status: 'Error',
      reason: `Install failed: ${away} (waited 600 s for it)`,
    });
  });

  test('the wait of a task starts again with each start of Helm, and the task fails after the third', async () => {
    await tasks.create();
    for (const attempt of [1, 2, 3]) {
      const early = await tasks.claimed();
      await tasks.finish(early, 'Unreachable', away);
      await letWait(early.task_id, { waited_ms: 599_999 });
      const claimed = await tasks.claimed();
      expect(claimed).toMatchObject({ attempt });
      await tasks.beginHelm(claimed);
      await tasks.beginHelm(claimed);
      expect(await tasks.task(claimed.task_id)).toMatchObject({ status: 'Started', attempts: attempt });
      await tasks.finish(claimed, 'Unreachable', away);
      const task = await tasks.task(claimed.task_id);
      const end = { status: 'Failed', reason: `${away} (attempt 3 of 3)` };
      expect(task).toMatchObject({ attempts: attempt, ...(attempt === 3 ? end : { status: 'Pending' }) });
      await letWait(task.id, {});
    }
  });

  test('a task whose cluster denies a permission waits for a minute, however long the cluster was unavailable before', async () => {
    const refused = 'secrets is forbidden: User "berth" cannot watch resource "secrets"';
    await tasks.create();
    const { task_id } = await tasks.claimed().then(async (claimed) => {
      await tasks.finish(claimed, 'Forbidden', refused);
      return claimed;
    });
    await letWait(task_id, { waited_ms: 600_000, forbidden_ms: 50_000 });
    await tasks.finish(await tasks.claimed(), 'Forbidden', refused);
    expect((await tasks.task(task_id)).reason).toContain(`to try again: ${refused}`);
    await letWait(task_id, { forbidden_ms: 60_000 });

    await tasks.finish(await tasks.claimed(), 'Forbidden', refused);

    expect(await tasks.task(task_id)).toMatchObject({ status: 'Failed', reason: `${refused} (waited 60 s for it)` });
  });

  test('a task that was canceled at the last moment does not count an attempt', async () => {
    await tasks.create();
    const claimed = await tasks.claimed();
    await tasks.call(owner, cancel, { id: claimed.task_id });

    expect(await tasks.beginHelm(claimed)).toMatchObject({ cancel_requested: true });

    await tasks.finish(claimed, 'Canceled');
    expect(await tasks.task(claimed.task_id)).toMatchObject({ status: 'Canceled', attempts: 0 });
  });
});

test('a claim says whether another task is due, which saves runners useless claims', async () => {
  await Promise.all([tasks.create(), tasks.create()]);
  const claim = () => tasks.runner.call(runnerTasks.operations.claim, { body: { runner: 'test' } });

  const answers = [await claim(), await claim(), await claim()];

  expect(answers.map(({ task, more }) => [task !== null, more])).toEqual([
    [true, true],
    [true, false],
    [false, false],
  ]);
  for (const { task } of answers) if (task) await tasks.finish(task);
});

describe('replicas of the service', () => {
  test('give each task to one runner', async () => {
    const replica = await tasks.replica();
    const made = await Promise.all(Array.from({ length: 12 }, () => tasks.create()));

    const claimed = await Promise.all(Array.from({ length: 30 }, () => tasks.claim()));

    const ids = claimed.flatMap((task) => (task ? [task.deployment_id] : []));
    expect(ids.toSorted()).toEqual(made.map(({ id }) => id).toSorted());
    await Promise.all(claimed.flatMap((task) => (task ? [tasks.finish(task)] : [])));
    expect(await replica.kill('SIGTERM')).toBe(0);
  });
});

describe('logs', () => {
  test('repeated lines are kept once', async () => {
    await tasks.create();
    const claimed = await tasks.claimed();

    await append(claimed, 0, 'a', 'b');
    await append(claimed, 0, 'a', 'b');
    await append(claimed, 1, 'b', 'c');
    await tasks.finish(claimed);

    expect((await logOf(claimed.task_id)).match(/stdout: ./g)).toEqual(['stdout: a', 'stdout: b', 'stdout: c']);
  });

  test('keep a line with any characters, cut between characters', async () => {
    await tasks.create();
    const claimed = await tasks.claimed();

    await append(claimed, 0, `x${'😀'.repeat(4_095)}`, '😀'.repeat(4_096), 'behind them');
    await expect(append(claimed, 3, '\0nul')).rejects.toEqual(refusal('invalid'));
    await append(claimed, 4, 'and on');
    await tasks.finish(claimed);

    const lines = (await logOf(claimed.task_id)).trimEnd().split('\n');
    expect(lines.every((text) => text.isWellFormed())).toBe(true);
    expect(lines.map((text) => text.slice(text.indexOf('stdout: ')))).toEqual([
      expect.stringMatching(/^stdout: x😀+…$/u),
      expect.stringMatching(/^stdout: 😀+…$/u),
      'stdout: behind them',
      'stdout: and on',
    ]);
  });

  test('are followed page by page until the task has ended', async () => {
    await tasks.create();
    const claimed = await tasks.claimed();
    await append(claimed, 0, 'a', 'b', 'c');
    const page = (from: number, limit: number) =>
      tasks.call(owner, log_lines, { body: { task_id: claimed.task_id, from, limit } });

    expect(await page(0, 2)).toMatchObject({ lines: [{ text: 'a' }, { text: 'b' }], next: 2, finished: false });
    expect(await page(2, 2)).toMatchObject({ lines: [{ text: 'c' }], next: 3, finished: false });
    const hinted = new Promise<string>((resolve) => {
      tasks.gateway.hints.listen('task_log', resolve, {
        key: claimed.task_id,
        signal: new AbortController().signal,
      });
    });
    await tasks.gateway.listening();
    await tasks.finish(claimed);
    expect(await hinted).toBe(claimed.task_id);
    const outcome = { status: 'Done', reason: null };
    expect(await page(3, 2)).toEqual({ lines: [], next: 3, finished: true, outcome });
    expect(await page(0, 3)).toMatchObject({ next: 3, finished: false });
  });

  test('are visible to callers who may see the task', async () => {
    await tasks.create();
    const claimed = await tasks.claimed();
    await tasks.finish(claimed);
    const { task_id } = claimed;

    await expect(tasks.call(outsider, log, { id: task_id })).rejects.toEqual(refusal('not_found'));
    await expect(tasks.call(outsider, log_lines, { body: { task_id, from: 0 } })).rejects.toEqual(refusal('not_found'));
  });
});

describe('other services', () => {
  test('read the deployments of a cluster and of an env', async () => {
    const { id: cluster_id } = await tasks.publish.cluster({ env_id: envId, name: 'occupied' });
    await tasks.create({ cluster_id, name: 'lies-here' });
    const { of_cluster, of_env } = deploymentUsage.operations;

    expect(await tasks.clusterSync.call(of_cluster, { body: { cluster_id } })).toEqual({
      deployments: { count: 1, names: ['web-lies-here'] },
    });
    expect(await tasks.auth.call(of_env, { body: { env_id: envId } })).toEqual({
      secrets: { count: 0, names: [] },
      deployment_resources: { count: 0, names: [] },
    });
  });

  test('callers other than the runner cannot claim', async () => {
    const call = tasks.gateway.call(
      runnerTasks.operations.claim,
      { body: { runner: 'gateway' } },
      { identityToken: await identityToken(owner, 'tasks') },
    );

    await expect(call).rejects.toThrow('NATS does not allow api-gateway');
  });
});
