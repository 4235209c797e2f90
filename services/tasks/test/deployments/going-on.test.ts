import { randomUUID } from 'node:crypto';
import type { Identity } from '@berth/contracts/access/identity';
import type { Operation, OperationSpec, RequestInput } from '@berth/contracts/definition/contract';
import type { QueuedTasks } from '@berth/contracts/definition/queued-tasks';
import { type Deployment, deployments } from '@berth/contracts/resources/deployments/deployments';
import { type SecretChanges, secrets } from '@berth/contracts/resources/deployments/secrets';
import { envImpact } from '@berth/contracts/resources/envs/env-impact';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { identityToken, sampleIdentities } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refusal } from '../support/refusal.ts';
import { envId, startTasksInTest, type TasksInTest } from '../support/tasks-in-test.ts';

let tasks: TasksInTest;
beforeAll(async () => {
  tasks = await startTasksInTest();
});
afterAll(() => tasks?.[Symbol.asyncDispose]());

const { siteAdmin, envAdmin, envUser, owner, maintainer, outsider } = sampleIdentities;
const { create, update, delete: remove } = deployments.operations;

/** The tasks that an answer names in its headers. */
async function queuedBy<S extends OperationSpec>(
  operation: Operation<S>,
  request: RequestInput<S>,
  { as = owner, idempotencyKey }: { as?: Identity; idempotencyKey?: string } = {},
): Promise<QueuedTasks | null> {
  const options = { identityToken: await identityToken(as, 'tasks'), requestId: randomUUID(), idempotencyKey };
  return (await tasks.gateway.callForBytes(operation, request, options)).queued;
}

/** The tasks of a deployment, in the order in which they were queued, without those that an earlier call returned. */
function newTasksOf(deploymentId: string) {
  const seen = new Set<string>();
  return async () => {
    const all = (await tasks.tasksOf(deploymentId)).toReversed().map(({ id }) => id);
    const fresh = all.filter((id) => !seen.has(id));
    for (const id of fresh) seen.add(id);
    return { ids: fresh, count: fresh.length };
  };
}

const newDeployment = () => ({
  name: `d${randomUUID().slice(0, 8)}`,
  kind_id: '',
  cluster_id: tasks.clusterId,
  helm_chart_id: tasks.chartId,
  config: { replicas: 1 },
  values_override: null,
});

const newSecret = () =>
  tasks.call(envAdmin, secrets.operations.create, {
    body: { env_id: envId, collection: 'tokens', name: `s${randomUUID().slice(0, 8)}`, contents: 'first' },
  });
const changeSecret = (id: string, body: SecretChanges) =>
  queuedBy(secrets.operations.update, { id, body }, { as: envAdmin });
const usersOf = (secretId: string, count: number): Promise<Deployment[]> =>
  Promise.all(Array.from({ length: count }, () => tasks.create({ config: { replicas: 1, token: secretId } })));

describe('an answer names the tasks that the request queued:', () => {
  test('creating, changing, moving, disabling, enabling and deleting a deployment', async () => {
    const { kind_id } = await tasks.installed();
    const body = { ...newDeployment(), kind_id };
    const made = await queuedBy(create, { body });
    const { deployment_id: id } = await tasks.task(made?.ids[0] ?? '');
    const fresh = newTasksOf(id);
    expect(made).toEqual(await fresh());
    await tasks.runAll();

    for (const changes of [
      { config: { replicas: 2 } },
      { name: `m${randomUUID().slice(0, 8)}` },
      { enabled: false },
      { enabled: true },
    ]) {
      const queued = await queuedBy(update, { id, body: changes });
      expect(queued).toEqual(await fresh());
      await tasks.runAll();
    }
    expect(await queuedBy(update, { id, body: { description_md: 'no task' } })).toBeNull();
    expect(await queuedBy(update, { id, body: {} })).toBeNull();
    expect(await queuedBy(remove, { id })).toEqual(await fresh());
    await tasks.runAll();
  });

  test('requesting, retrying and rolling back; canceling queues none', async () => {
    const { id } = await tasks.installed();
    const fresh = newTasksOf(id);
    const { ids: earlier } = await fresh();
    const body = { deployment_id: id, operation: { Reinstall: { reason: 'to be sure' } } };
    expect(await queuedBy(deploymentTasks.operations.create, { body })).toEqual(await fresh());
    const claimed = await tasks.claimed();
    await tasks.finish(claimed, 'Failed', 'no image');

    expect(await queuedBy(deploymentTasks.operations.retry, { id: claimed.task_id })).toEqual(await fresh());
    await tasks.runAll();
    const rollback = { id, body: { task_id: earlier[0] ?? '' } };
    const queued = await queuedBy(deploymentTasks.operations.rollback, rollback);
    expect(queued).toEqual(await fresh());
    expect(await queuedBy(deploymentTasks.operations.cancel, { id: queued?.ids[0] ?? '' })).toBeNull();
  });

  test('a repeated creation names those of the first one', async () => {
    const { id } = await tasks.installed();
    const idempotencyKey = randomUUID();
    const body = { deployment_id: id, operation: { Reinstall: { reason: 'once' } } };

    const first = await queuedBy(deploymentTasks.operations.create, { body }, { idempotencyKey });
    await tasks.runAll();

    expect(first?.count).toBe(1);
    expect(await queuedBy(deploymentTasks.operations.create, { body }, { idempotencyKey })).toEqual(first);
  });

  test('a changed secret and a changed placement name 50 of all their reinstalls', async () => {
    const { id } = await newSecret();
    expect(await changeSecret(id, { contents: 'nobody uses it' })).toBeNull();
    await usersOf(id, 55);
    await tasks.runAll();

    const queued = await changeSecret(id, { contents: 'second' });

    expect(queued).toMatchObject({ count: 55, ids: { length: 50 } });
    expect(await tasks.task(queued?.ids[49] ?? '')).toMatchObject({ status: 'Pending' });
    expect(await changeSecret(id, { contents: 'each waits for its Reinstall already' })).toBeNull();
    await tasks.runAll();
  });

  test('a changed env is applied at once, whether its event or the call of its owner comes first, and the answer names the reinstalls', async () => {
    const row = await tasks.publish.env({ id: randomUUID(), name: 'moving' });
    const { id: cluster_id } = await tasks.publish.cluster({ env_id: row.id, name: `moving-${row.id}` });
    const { id } = await tasks.create({ cluster_id }, siteAdmin);
    await tasks.runAll();
    const fresh = newTasksOf(id);
    await fresh();
    const take = (version: number, fields: object) => {
      const env = { version, operation: 'UPDATE' as const, env_id: row.id, row: { ...row, ...fields } };
      return tasks.auth.call(envImpact.operations.take, { body: { env } });
    };

    const moved = await take(1e9, { node_selector: { pool: 'new' } });
    expect(moved).toEqual(await fresh());
    expect(moved.count).toBe(1);
    expect(await take(1e9, { node_selector: { pool: 'new' } })).toEqual(moved);
    expect(await take(1e9 + 1, { node_selector: { pool: 'new' }, name: 'renamed' })).toEqual({ ids: [], count: 0 });
    await tasks.runAll();
  });
});

describe('the impact', () => {
  const { impact } = secrets.operations;

  test('of a secret is what its change reinstalls: enabled deployments that are installed and use it', async () => {
    const { id } = await newSecret();
    const [user, other, disabled] = await usersOf(id, 3);
    await tasks.runAll();
    await tasks.call(owner, update, { id: disabled?.id ?? '', body: { enabled: false } });
    await tasks.runAll();
    await usersOf(id, 1);

    const { items, num_total } = await tasks.call(envUser, impact, { id });

    const expected = [user?.id ?? '', other?.id ?? ''].toSorted();
    expect([items.map((item) => item.id).toSorted(), num_total]).toEqual([expected, 2]);
    expect(items[0]).toMatchObject({ env_id: envId, status: 'Running', namespace: expect.any(String) });
    const queued = await changeSecret(id, { contents: 'second' });
    const reinstalled = await Promise.all(
      (queued?.ids ?? []).map(async (task) => (await tasks.task(task)).deployment_id),
    );
    expect(reinstalled.toSorted()).toEqual(expected);
    await tasks.runAll();
  });

  test('of an env is what a changed placement reinstalls, in pages', async () => {
    const { id } = await tasks.publish.env({ id: randomUUID(), name: 'wide' });
    const { id: cluster_id } = await tasks.publish.cluster({ env_id: id, name: `wide-${id}` });
    for (const _ of [1, 2]) await tasks.create({ cluster_id }, siteAdmin);
    await tasks.runAll();
    const page = (query: object) => tasks.auth.call(envImpact.operations.of, { body: { env_id: id, query } });

    expect(await page({ per_page: 1 })).toMatchObject({ items: [{ cluster_id }], num_total: 2 });
    const { next } = await page({ per_page: 1, after: '' });
    expect(await page({ per_page: 1, after: next })).toMatchObject({ items: [{ cluster_id }], next: null });
  });

  test('of a secret is refused without a credential, and missing for callers who do not see the secret', async () => {
    const { id } = await newSecret();

    await expect(tasks.call(maintainer, impact, { id })).resolves.toMatchObject({ items: [], num_total: 0 });
    await expect(tasks.call(outsider, impact, { id })).rejects.toEqual(refusal('not_found'));
    await expect(tasks.call(siteAdmin, impact, { id: randomUUID() })).rejects.toEqual(refusal('not_found'));
    await expect(tasks.gateway.call(impact, { id })).rejects.toEqual(refusal('unauthenticated'));
    const query = { page: 0 };
    await expect(tasks.call(siteAdmin, impact, { id, query })).rejects.toEqual(refusal('invalid'));
  });
});

describe('why', () => {
  const why = (id: string, as: Identity = envUser) => tasks.call(as, deploymentTasks.operations.why, { id });
  const whyOf = (id: string, as: Identity = envUser) => tasks.call(as, deployments.operations.why, { id });

  test('names the facts of a task and of its deployment while it waits, runs, and has failed', async () => {
    const { id } = await tasks.installed();
    expect(await whyOf(id)).toEqual({ facts: [] });
    const [task = ''] = (await queuedBy(update, { id, body: { config: { replicas: 2 } } }))?.ids ?? [];
    const body = { deployment_id: id, operation: { Reinstall: { reason: 'later' } } };
    const [behind = ''] = (await queuedBy(deploymentTasks.operations.create, { body }))?.ids ?? [];

    expect(await why(task)).toMatchObject({ facts: [{ kind: 'no_free_runner', message: expect.any(String) }] });
    const object = { kind: 'deployment_task', id: task, name: null };
    expect(await why(behind)).toMatchObject({ facts: [{ kind: 'earlier_task', object }] });
    expect((await tasks.task(behind)).reason).toBe((await why(behind)).facts[0]?.message);
    expect(await whyOf(id)).toEqual(await why(task));

    const claimed = await tasks.claimed();
    expect(await why(task)).toMatchObject({ facts: [{ kind: 'task_runs', since: expect.any(String), until: null }] });
    expect(await whyOf(id)).toEqual(await why(task));
    await tasks.finish(claimed, 'Failed', 'no image');
    expect(await why(task)).toMatchObject({ facts: [{ kind: 'task_failed', message: 'no image' }] });
    expect(await whyOf(id)).toMatchObject({
      facts: [
        { kind: 'task_failed', object: { id: task }, message: 'Upgrade failed: no image' },
        { kind: 'no_free_runner' },
      ],
    });
    await tasks.runAll();
  });

  test('is refused without a credential, and missing for callers who do not see the row', async () => {
    const { id } = await tasks.installed();
    const [{ id: task } = { id: '' }] = await tasks.tasksOf(id);

    for (const [operation, row] of [
      [deploymentTasks.operations.why, task],
      [deployments.operations.why, id],
    ] as const) {
      await expect(tasks.call(outsider, operation, { id: row })).rejects.toEqual(refusal('not_found'));
      await expect(tasks.call(siteAdmin, operation, { id: randomUUID() })).rejects.toEqual(refusal('not_found'));
      await expect(tasks.gateway.call(operation, { id: row })).rejects.toEqual(refusal('unauthenticated'));
    }
  });
});

test('the remembered answer to a creation has a bounded size', async () => {
  const bytes = sql.unsafe`select max(octet_length(queued_tasks::text)) as bytes from idempotency_keys`;
  expect(await tasks.database.db.oneFirst(bytes)).toBeLessThan(3_000);
});
