import { randomUUID } from 'node:crypto';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { runnerTasks } from '@berth/contracts/resources/tasks/runner-tasks';
import { sampleIdentities } from '@berth/testing/test-identities';
import { statement } from '@berth/db/statement';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refusal } from './support/refusal.ts';
import { startTasksInTest, type TasksInTest, until } from './support/tasks-in-test.ts';

let tasks: TasksInTest;
beforeAll(async () => {
  tasks = await startTasksInTest();
});
afterAll(() => tasks?.[Symbol.asyncDispose]());

const { owner, siteAdmin } = sampleIdentities;
const { create, get, log, retry } = deploymentTasks.operations;

/** Rows that have expired when the service starts. */
const outdate = (id: string) =>
  tasks.database.db.query(statement`
    update deployment_tasks set execute_at = execute_at - interval '400 days', finished_at = finished_at - interval '400 days'
    where id = ${id}
  `);

test('an expired task is gone for reads, logs and retries; the revision stays and can be repeated', async () => {
  const { id: deployment_id, revision_id } = await tasks.installed();
  const operation = { Reinstall: { reason: 'again' } };
  const idempotencyKey = randomUUID();
  const { id } = await tasks.call(owner, create, { body: { deployment_id, operation } }, { idempotencyKey });
  const claimed = await tasks.claimed();
  const at = '2026-01-01T00:00:00.000Z';
  await tasks.runner.call(runnerTasks.operations.append_log, {
    body: { task_id: id, fence: claimed.fence, first: 0, lines: [{ at, source: 'stdout', text: 'a line' }] },
  });
  await tasks.finish(claimed, 'Failed', 'not today');
  expect(await tasks.call(owner, log, { id })).toContain('a line');
  await outdate(id);
  await outdate(revision_id ?? '');

  await tasks.replica();

  await until(async () => (await tasks.tasksOf(deployment_id)).length === 1);
  const gone = refusal('not_found', 'deployment task');
  await expect(tasks.call(siteAdmin, get, { id })).rejects.toEqual(gone);
  await expect(tasks.call(owner, log, { id })).rejects.toEqual(gone);
  await expect(tasks.call(owner, retry, { id })).rejects.toEqual(gone);
  expect(await tasks.task(revision_id ?? '')).toMatchObject({ status: 'Done' });
  // The remembered answer stays for a day, even without the task.
  expect(await tasks.call(owner, create, { body: { deployment_id, operation } }, { idempotencyKey })).toMatchObject({
    id,
  });
  await tasks.call(owner, create, { body: { deployment_id, operation } });
  expect(await tasks.claimed()).toMatchObject({ action: 'deploy' });
});
