import { runnerTasks } from '@berth/contracts/resources/tasks/runner-tasks';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { sampleIdentities } from '@berth/testing/test-identities';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { refusal } from '../support/refusal.ts';
import { startTasksInTest, type TasksInTest, until, usualLeaseMs } from '../support/tasks-in-test.ts';

let tasks: TasksInTest;
beforeAll(async () => {
  tasks = await startTasksInTest();
});
afterAll(() => tasks?.[Symbol.asyncDispose]());
beforeEach(() => tasks.runAll());

const { owner } = sampleIdentities;
const { heartbeat } = runnerTasks.operations;
const cause = 'Waiting for Deployment web: 0 of 1 ready; 1 of 1 pod unschedulable';

const say = ({ task_id, fence }: { task_id: string; fence: number }, waits_for: string | null = cause) =>
  tasks.runner.call(heartbeat, { body: { task_id, fence, waits_for } });
/** Repeated like heartbeats: if the deployment is locked, only a later one writes the reason. */
const said = (task: { task_id: string; fence: number }, waits_for: string | null = cause) =>
  until(async () => {
    await say(task, waits_for);
    return (await tasks.task(task.task_id)).reason === waits_for;
  });
const versionsOf = (...ids: string[]) =>
  tasks.database.db.any(sql.type(z.object({ id: z.string(), version: z.number() }))`
    select id, version::float as version from outbox where id = any(${sql.array(ids, 'uuid')}) order by id
  `);
/** The reason of a deployment whose task does not wait. */
const underWay = 'Task: Install is under way';
const reasonsOf = async (deployment: string, task: string) => [
  (await tasks.deployment(deployment)).reason,
  (await tasks.task(task)).reason,
];
async function started() {
  const { id } = await tasks.create();
  const task = await tasks.claimed();
  return { id, task };
}

describe('the reason why a started task waits', () => {
  test('is the reason of the task and of its deployment, until it is done', async () => {
    const { id, task } = await started();

    expect(await say(task)).toMatchObject({ cancel_requested: false });
    await said(task);

    expect(await reasonsOf(id, task.task_id)).toEqual([cause, cause]);
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Installing' });
    await tasks.finish(task);
    expect(await reasonsOf(id, task.task_id)).toEqual([null, null]);
  });

  test('is cleared when the task no longer waits', async () => {
    const { id, task } = await started();
    await said(task);

    await said(task, null);

    expect(await reasonsOf(id, task.task_id)).toEqual([underWay, null]);
    await tasks.finish(task);
  });

  test('is written and published only when it changes', async () => {
    const { id, task } = await started();
    await said(task);
    const before = await versionsOf(id, task.task_id);

    await say(task);
    expect(await versionsOf(id, task.task_id)).toEqual(before);

    await said(task, 'Waiting for another thing');
    const after = await versionsOf(id, task.task_id);
    expect(after.map(({ version }, index) => version > (before[index]?.version ?? 0))).toEqual([true, true]);
    await tasks.finish(task);
  });

  test('is written only by the runner with the claim, and never after the end', async () => {
    const { id, task } = await started();

    await expect(say({ ...task, fence: task.fence + 1 })).rejects.toEqual(refusal('conflict', 'another runner'));
    expect(await reasonsOf(id, task.task_id)).toEqual([underWay, null]);
    await tasks.finish(task, 'Failed', 'it did not work');
    await expect(say(task)).rejects.toEqual(refusal('conflict', 'another runner'));

    expect(await reasonsOf(id, task.task_id)).toEqual(['Install failed: it did not work', 'it did not work']);
  });

  test('disappears with the attempt: a deployment whose task is queued again says so and waits for nothing else', async () => {
    const { id, task } = await started();
    await said(task);

    await tasks.finish(task, 'HandedBack', 'The runner stopped; another one continues');

    expect((await tasks.deployment(id)).reason).toBe('Task: Install is queued');
    const again = await tasks.claimed();
    expect(await reasonsOf(id, again.task_id)).toEqual([underWay, null]);
    await tasks.finish(again);
  });

  test('is not written while the deployment is locked, and the claim continues', async () => {
    const { id, task } = await started();
    await tasks.database.db.transaction(async (tx) => {
      await tx.query(statement`select from deployments where id = ${id} for update`);
      expect(await say(task)).toMatchObject({ lease_ms: usualLeaseMs });
    });
    expect(await reasonsOf(id, task.task_id)).toEqual([underWay, null]);

    await said(task);

    expect(await reasonsOf(id, task.task_id)).toEqual([cause, cause]);
    await tasks.finish(task);
  });

  test('is replaced by the cancellation', async () => {
    const { id, task } = await started();
    await said(task);
    await tasks.call(owner, deploymentTasks.operations.cancel, { id: task.task_id, body: { reason: 'wrong chart' } });

    await tasks.finish(task, 'Canceled');

    expect(await reasonsOf(id, task.task_id)).toEqual([
      'Install was canceled while it ran: wrong chart. Retry it, or change the deployment',
      'wrong chart',
    ]);
  });

  test('is refused if it is too long for a reason', async () => {
    const { task } = await started();

    await expect(say(task, 'x'.repeat(501))).rejects.toMatchObject({ code: 'invalid' });
    await tasks.finish(task);
  });
});

test('the last reason that a runner reported stays when the runner goes silent', async () => {
  const { task } = await started();
  await tasks.beginHelm(task);
  await said(task);
  await tasks.database.db.query(statement`
    update deployment_tasks set lease_until = now() - interval '1 second', attempts = 3 where id = ${task.task_id}
  `);

  const ended = await until(async () => {
    const now = await tasks.task(task.task_id);
    return now.status === 'Failed' && now;
  });

  expect(ended.reason).toContain(`Its runner stopped answering. ${cause}`);
});
