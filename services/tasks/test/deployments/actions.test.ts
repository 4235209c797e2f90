import { randomBytes, randomUUID } from 'node:crypto';
import type { Identity } from '@berth/contracts/access/identity';
import type { JsonValue } from '@berth/contracts/fields/json';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { deployments } from '@berth/contracts/resources/deployments/deployments';
import { sampleIdentities } from '@berth/testing/test-identities';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { maskOlderTasks } from '../../src/actions/mask-older-tasks.ts';
import { resealSecrets } from '../../src/secrets/reseal-secrets.ts';
import { createSecretKeys, type SecretKeys } from '../../src/secrets/secret-keys.ts';
import { inTransactionOf, readingStore } from '../../src/store/store.ts';
import { refusal } from '../support/refusal.ts';
import { sampleChart, webForm } from '../support/sample-charts.ts';
import { envId, startTasksInTest, type TasksInTest, testKey, until } from '../support/tasks-in-test.ts';

const { siteAdmin, owner, maintainer, envUser, outsider, bot } = sampleIdentities;
const { create, list, retry, cancel } = deploymentTasks.operations;

const action = (fields: object) => ({
  allowed_role: 'Maintainer',
  endpoint: 'standard_ingress',
  path: '/drain',
  method: 'POST',
  title: 'Drain',
  description: 'Takes it out of service',
  ...fields,
});
const unlockForm = {
  inputs: [
    { id: 'password', type: 'text', label: 'Password', sensitive: true },
    { id: 'user', type: 'text', label: 'User' },
  ],
  outputs: { values: [{ path: ['secret'], value: { FieldValue: { input: 'password' } } }] },
};
const chart = sampleChart({
  features: {
    ingress: { enabled: true },
    status: { endpoint: 'standard_ingress', path: '/status', refresh_interval_secs: 60 },
  },
  actions_schema: {
    actions: [
      action({ id: 'drain' }),
      action({ id: 'scale', path: 'scale?force=1', method: 'PUT', ui_schema: webForm }),
      action({ id: 'look', method: 'GET' }),
      action({ id: 'unlock', ui_schema: unlockForm }),
      action({ id: 'wipe', allowed_role: 'Owner' }),
      action({ id: 'resume', allowed_on_statuses: ['Paused'] }),
    ],
  },
});

let tasks: TasksInTest;
beforeAll(async () => {
  tasks = await startTasksInTest();
  await tasks.publish.cluster({ id: tasks.clusterId, env_id: envId, ingress_domain: 'apps.example.com' });
  await tasks.publish.chart(chart);
  await until(() => tasks.database.db.exists(statement`select from helm_chart_projection where id = ${chart.id}`));
});
afterAll(() => tasks?.[Symbol.asyncDispose]());

const deployed = () => tasks.installed({ helm_chart_id: chart.id });

interface InvokeRequest {
  action_id?: string;
  body?: JsonValue;
  helm_chart_id?: string;
  execute_at?: string;
}
const invoke = (as: Identity, deployment_id: string, requested: InvokeRequest = {}) => {
  const { action_id = 'drain', body = null, helm_chart_id = chart.id, ...when } = requested;
  const operation = { InvokeAction: { helm_chart_id, action_id, body } };
  return tasks.call(as, create, { body: { deployment_id, operation, ...when } });
};

const report = (id: string, name: string | null) =>
  tasks.database.db.query(statement`
    update deployments set reported_status = ${
      name === null
        ? null
        : sql.jsonb({
            timestamp: '2026-01-01T00:00:00.000Z',
            get_successful: true,
            content: { status: { name, color: 'success' }, notices: [] },
            error: null,
          })
    } where id = ${id}
  `);

/** Makes it due. */
const makeDue = (id: string) =>
  tasks.database.db.query(statement`
    update deployment_tasks set due_at = now(), execute_at = now() where id = ${id}
  `);
const texts = sql.type(z.object({ row: z.string() }));

/** Rows of the tables that an action's request writes. */
async function rowsWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of ['deployment_tasks', 'outbox', 'audit_log', 'idempotency_keys']) {
    const rows = await tasks.database.db.anyFirst(texts`select t::text as row from ${sql.identifier([table])} t`);
    found.push(...rows.filter((row) => row.includes(text) || row.includes(Buffer.from(text).toString('hex'))));
  }
  return found;
}

const sealedInputs = (taskId: string) =>
  tasks.database.db.anyFirst(texts`select t::text as row from deployment_task_inputs t where task_id = ${taskId}`);

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

const ended = (id: string) =>
  until(async () => {
    if (await tasks.claim()) throw new Error('a task has started');
    const task = await tasks.task(id);
    return task.finished_at !== null && task;
  });

describe('an InvokeAction', () => {
  test('is a call with a token for it, and leaves the deployment unchanged', async () => {
    const { id, namespace } = await deployed();
    tasks.callTokens.requests.length = 0;

    const { id: taskId } = await invoke(maintainer, id, { body: { gently: true } });
    const claimed = await tasks.claimed();

    expect(claimed).toMatchObject({ task_id: taskId, action: 'invoke', chart: null, values: {} });
    expect(claimed.call).toEqual({
      host: `${namespace}.apps.example.com`,
      path: '/drain',
      method: 'POST',
      body: '{"gently":true}',
      token: `token-for-${id}`,
      hidden: [],
    });
    expect(tasks.callTokens.requests).toEqual([{ deployment_id: id, method: 'POST', path: '/drain' }]);
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running', reason: 'Task: InvokeAction is under way' });
    await tasks.beginHelm(claimed);
    await tasks.finish(claimed);
    expect(await tasks.task(taskId)).toMatchObject({ status: 'Done', attempts: 1, acting_user_id: maintainer.id });
  });

  test('sends the outputs of its form, and a GET without a body', async () => {
    const { id } = await deployed();

    await invoke(maintainer, id, { action_id: 'scale', body: { replicas: 3, tier: 'large' } });
    const scaled = await tasks.claimed();
    await tasks.finish(scaled);
    await invoke(maintainer, id, { action_id: 'look', body: { any: 'thing' } });
    const looked = await tasks.claimed();
    await tasks.finish(looked);

    expect(scaled.call).toMatchObject({ path: 'scale?force=1', method: 'PUT', body: '{"replicaCount":3}' });
    expect(looked.call).toMatchObject({ method: 'GET', body: null });
  });

  test('tells the runner which sensitive inputs to redact in the log', async () => {
    const { id } = await deployed();

    await invoke(maintainer, id, { action_id: 'unlock', body: { password: 'swordfish', user: 'ada' } });
    const { call, ...claim } = await tasks.claimed();
    await tasks.finish(claim);

    expect(call).toMatchObject({ body: '{"secret":"swordfish"}', hidden: ['swordfish'] });
  });

  test('keeps its sensitive inputs out of answers, audit lines and rows, and sends them in its call', async () => {
    const { id } = await deployed();
    const password = `canary-${randomUUID()}`;
    const shown = { InvokeAction: { body: { password: '***', user: 'ada' } } };

    const created = await invoke(maintainer, id, { action_id: 'unlock', body: { password, user: 'ada' } });
    const whilePending = await rowsWith(password);
    const claimed = await tasks.claimed();
    const whileStarted = await rowsWith(password);
    const answers = [created, await tasks.task(created.id), await tasks.call(maintainer, list, { query: {} })];
    await tasks.finish(claimed);

    expect(created).toMatchObject({ operation: shown });
    expect(claimed.call).toMatchObject({ body: JSON.stringify({ secret: password }) });
    expect(JSON.stringify(answers)).not.toContain(password);
    expect([...whilePending, ...whileStarted, ...(await rowsWith(password))]).toEqual([]);
    expect(await tasks.task(created.id)).toMatchObject({ status: 'Done', operation: shown });
  });

  test.for([
    ['Done', (taskId: string) => tasks.claimed().then((claimed) => tasks.finish(claimed).then(() => taskId))],
    [
      'Failed',
      (taskId: string) => tasks.claimed().then((claimed) => tasks.finish(claimed, 'Failed', 'no').then(() => taskId)),
    ],
    ['Canceled', (taskId: string) => tasks.call(maintainer, cancel, { id: taskId, body: {} })],
  ] as const)('loses its sensitive inputs when it is %s', async ([status, end]) => {
    const { id } = await deployed();
    const { id: taskId } = await invoke(maintainer, id, { action_id: 'unlock', body: { password: 'swordfish' } });
    expect(await sealedInputs(taskId)).toHaveLength(1);

    await end(taskId);

    expect(await tasks.task(taskId)).toMatchObject({ status });
    expect(await sealedInputs(taskId)).toEqual([]);
  });

  test('keeps its sensitive inputs while it is repeated before its call began', async () => {
    const { id } = await deployed();
    await invoke(maintainer, id, { action_id: 'unlock', body: { password: 'swordfish' } });
    await tasks.finish(await tasks.claimed(), 'HandedBack');

    const again = await tasks.claimed();
    await tasks.finish(again);

    expect(again.call).toMatchObject({ body: '{"secret":"swordfish"}', hidden: ['swordfish'] });
  });

  test('is not retried if it had sensitive inputs, and names those to be given again', async () => {
    const { id } = await deployed();
    const body = { password: 'swordfish', user: 'ada' };
    const { id: taskId } = await invoke(maintainer, id, { action_id: 'unlock', body });
    await tasks.finish(await tasks.claimed(), 'Failed', 'no');

    await expect(tasks.call(maintainer, retry, { id: taskId })).rejects.toEqual(
      refusal('conflict', 'Its sensitive inputs are not kept: invoke the action again with password'),
    );
    await expect(invoke(maintainer, id, { action_id: 'unlock', body: { ...body, password: '***' } })).rejects.toEqual(
      refusal('unprocessable', 'stands for a value', 'body.operation.InvokeAction.body.password'),
    );
  });

  test('loses sensitive inputs from the previous version once it has ended, and has them sealed while it is open', async () => {
    const { id } = await deployed();
    const body = { password: `canary-${randomUUID()}`, user: 'ada' };
    const request = async () => (await invoke(maintainer, id, { action_id: 'unlock', body })).id;
    const over = await request();
    await tasks.finish(await tasks.claimed(), 'Failed', 'no');
    const open = await request();
    const { db } = tasks.database;
    const operation = { InvokeAction: { helm_chart_id: chart.id, action_id: 'unlock', body } };
    const gone = { InvokeAction: { ...operation.InvokeAction, helm_chart_id: randomUUID() } };
    const asBefore = (taskId: string, stored: object) =>
      db.query(statement`
        update deployment_tasks set hidden_inputs = null, operation = ${JSON.stringify(stored)}::jsonb where id = ${taskId}
      `);
    await db.query(statement`delete from deployment_task_inputs`);
    await asBefore(over, gone);
    await asBefore(open, operation);

    const secretKeys = createSecretKeys(Buffer.from(testKey, 'base64'), []);
    await maskOlderTasks({ inTransaction: inTransactionOf(db), secretKeys })(new AbortController().signal);

    expect(await rowsWith(body.password)).toEqual([]);
    expect(await tasks.task(over)).toMatchObject({
      operation: { InvokeAction: { body: { password: '***', user: '***' } } },
    });
    expect(await sealedInputs(over)).toEqual([]);
    expect(await tasks.task(open)).toMatchObject({
      operation: { InvokeAction: { body: { password: '***', user: 'ada' } } },
    });
    const claimed = await tasks.claimed();
    expect(claimed.call).toMatchObject({ body: JSON.stringify({ secret: body.password }) });
    await tasks.finish(claimed);
  });

  test('has its inputs sealed under the new key by a rotation, and its call still contains them', async () => {
    const { id } = await deployed();
    await invoke(maintainer, id, { action_id: 'unlock', body: { password: 'swordfish' } });
    const { db } = tasks.database;
    const [old, next] = [Buffer.from(testKey, 'base64'), randomBytes(32)];
    const log = { info: () => undefined, error: () => undefined };
    const rotate = (secretKeys: SecretKeys) =>
      resealSecrets({
        store: readingStore(db),
        inTransaction: inTransactionOf(db),
        secretKeys,
        log,
        signal: new AbortController().signal,
      });

    const rotated = await rotate(createSecretKeys(next, [old]));

    expect(rotated).toMatchObject({ broken: [], otherKeys: [] });
    expect(await tasks.claim()).toBeNull();
    await rotate(createSecretKeys(old, [next]));
    await db.query(statement`update deployment_tasks set due_at = now() where status = 'Pending'`);
    const claimed = await tasks.claimed();
    expect(claimed.call).toMatchObject({ body: '{"secret":"swordfish"}' });
    await tasks.finish(claimed);
  });

  test('is made once if a request with sensitive inputs is repeated', async () => {
    const { id: deployment_id } = await deployed();
    const operation = (password: string) => ({
      InvokeAction: { helm_chart_id: chart.id, action_id: 'unlock', body: { password } },
    });
    const idempotencyKey = randomUUID();
    const request = (password: string) =>
      tasks.call(maintainer, create, { body: { deployment_id, operation: operation(password) } }, { idempotencyKey });

    const first = await request('swordfish');

    expect(await request('swordfish')).toEqual(first);
    await expect(request('sailfish')).rejects.toEqual(refusal('unprocessable', 'used with another request'));
    await tasks.runAll();
  });

  test('fails with its reason and leaves the deployment running', async () => {
    const { id } = await deployed();

    const { id: taskId } = await invoke(maintainer, id);
    const claimed = await tasks.claimed();
    await tasks.beginHelm(claimed);
    await tasks.finish(claimed, 'Failed', 'The deployment answered 500');

    expect(await tasks.task(taskId)).toMatchObject({ status: 'Failed', reason: 'The deployment answered 500' });
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running', reason: null });
  });

  test('is not repeated after a call whose answer was lost', async () => {
    const { id } = await deployed();
    const { id: taskId } = await invoke(maintainer, id);
    const claimed = await tasks.claimed();
    await tasks.beginHelm(claimed);

    await tasks.database.db.query(statement`
      update deployment_tasks set lease_until = now() - interval '1 second' where id = ${taskId}
    `);

    const task = await ended(taskId);
    expect(task).toMatchObject({ status: 'Failed', reason: expect.stringContaining('may have arrived') });
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running' });
  });

  test('is taken over if its call had not begun', async () => {
    const { id } = await deployed();
    const { id: taskId } = await invoke(maintainer, id);
    await tasks.finish(await tasks.claimed(), 'HandedBack');

    const again = await tasks.claimed();

    expect(again).toMatchObject({ task_id: taskId, attempt: 1 });
    await tasks.finish(again);
  });

  test('waits while auth gives no token', async () => {
    const { id } = await deployed();
    tasks.callTokens.away = true;
    try {
      const { id: taskId } = await invoke(maintainer, id);
      expect(await tasks.claim()).toBeNull();
      expect(await tasks.task(taskId)).toMatchObject({ status: 'Pending', reason: expect.stringContaining('auth') });
      await tasks.call(maintainer, cancel, { id: taskId, body: {} });
    } finally {
      tasks.callTokens.away = false;
    }
  });

  test('is retried only on request, as a new call', async () => {
    const { id } = await deployed();
    const { id: taskId } = await invoke(maintainer, id);
    await tasks.finish(await tasks.claimed(), 'Failed', 'no');

    const again = await tasks.call(maintainer, retry, { id: taskId });

    expect(again).toMatchObject({ status: 'Pending', operation: { InvokeAction: { action_id: 'drain' } } });
    expect(await tasks.runAll()).toMatchObject([{ task_id: again.id, action: 'invoke' }]);
  });
});

describe('a request to invoke an action', () => {
  test('is for maintainers, or for owners if the action says so', async () => {
    const { id } = await deployed();

    await expect(invoke(envUser, id)).rejects.toEqual(refusal('forbidden', 'maintainer'));
    await expect(invoke(outsider, id)).rejects.toEqual(refusal('unprocessable', '', 'body.deployment_id'));
    await expect(invoke(maintainer, id, { action_id: 'wipe' })).rejects.toEqual(refusal('forbidden', 'owner'));
    await expect(invoke(bot, id, { action_id: 'wipe' })).rejects.toEqual(refusal('forbidden', 'owner'));
    await invoke(owner, id, { action_id: 'wipe' });
    await invoke(bot, id);
    expect(await tasks.runAll()).toHaveLength(2);
  });

  test('must name an existing chart and action', async () => {
    const { id } = await deployed();
    const at = 'body.operation.InvokeAction';

    await expect(invoke(maintainer, id, { action_id: 'none' })).rejects.toEqual(
      refusal('unprocessable', 'no such action', `${at}.action_id`),
    );
    await expect(invoke(maintainer, id, { helm_chart_id: randomUUID() })).rejects.toEqual(
      refusal('unprocessable', '', `${at}.helm_chart_id`),
    );
    await expect(invoke(maintainer, id, { helm_chart_id: tasks.chartId })).rejects.toEqual(
      refusal('unprocessable', 'no ingress', `${at}.helm_chart_id`),
    );
    await expect(invoke(maintainer, randomUUID())).rejects.toEqual(refusal('unprocessable', '', 'body.deployment_id'));
  });

  test('must have inputs that fit the form of the action', async () => {
    const { id } = await deployed();
    const at = 'body.operation.InvokeAction.body';
    const scale = (body: JsonValue) => invoke(maintainer, id, { action_id: 'scale', body });

    await expect(scale({})).rejects.toEqual(refusal('unprocessable', 'required', `${at}.replicas`));
    await expect(scale({ replicas: 10 })).rejects.toEqual(refusal('unprocessable', '', `${at}.replicas`));
    await expect(scale({ replicas: 1, other: 1 })).rejects.toEqual(refusal('unprocessable', '', `${at}.other`));
    await expect(scale({ replicas: 1, peer: randomUUID() })).rejects.toEqual(
      refusal('unprocessable', 'no such deployment', `${at}.peer`),
    );
    await expect(scale([1])).rejects.toEqual(refusal('unprocessable', 'must be a JSON object', at));
  });

  test('is refused if the action does not allow the reported status, or if the deployment runs another chart', async () => {
    const { id } = await deployed();
    const other = await tasks.publish.chart({ ...chart, id: randomUUID(), image_tag: '1.0.1' });
    await until(() => tasks.database.db.exists(statement`select from helm_chart_projection where id = ${other.id}`));
    const resume = () => invoke(maintainer, id, { action_id: 'resume' });

    await expect(resume()).rejects.toEqual(refusal('conflict', 'no status is known now'));
    await report(id, 'Busy');
    await expect(resume()).rejects.toEqual(refusal('conflict', 'it is Busy'));
    await report(id, 'Paused');
    await resume();
    await expect(invoke(maintainer, id, { helm_chart_id: other.id })).rejects.toEqual(
      refusal('conflict', 'runs another chart'),
    );
    await tasks.runAll();
  });

  test('is refused for a deployment that is disabled or not installed', async () => {
    const { id } = await tasks.create({ helm_chart_id: chart.id });
    await tasks.finish(await tasks.claimed(), 'Failed', 'no');

    await expect(invoke(owner, id)).rejects.toEqual(refusal('conflict', 'Nothing is installed'));
    await tasks.call(owner, create, { body: { deployment_id: id, operation: { Uninstall: {} } } });
    await expect(invoke(owner, id)).rejects.toEqual(refusal('conflict', 'disabled'));
    await tasks.runAll();
  });
});

describe('a scheduled InvokeAction', () => {
  test('is checked again when it starts: the reported status', async () => {
    const { id } = await deployed();
    const { id: taskId } = await invoke(maintainer, id, { action_id: 'resume', execute_at: tomorrow() });
    await report(id, 'Busy');

    await makeDue(taskId);

    expect(await ended(taskId)).toMatchObject({ status: 'Failed', reason: expect.stringContaining('it is Busy') });
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Running' });
  });

  test('is checked again when it starts: the role of its requester', async () => {
    const { id } = await deployed();
    const { id: taskId } = await invoke(owner, id, { action_id: 'wipe', execute_at: tomorrow() });
    tasks.people.set(owner.id, { identity: { ...maintainer, id: owner.id } });
    try {
      await makeDue(taskId);
      const task = await ended(taskId);
      expect(task).toMatchObject({ status: 'Failed', reason: expect.stringContaining('no longer an owner') });
    } finally {
      tasks.people.set(owner.id, { identity: owner });
    }
  });

  test('starts when it becomes due', async () => {
    const { id } = await deployed();
    const { id: taskId } = await invoke(maintainer, id, { execute_at: tomorrow() });

    await makeDue(taskId);

    expect(await tasks.claimed()).toMatchObject({ task_id: taskId, action: 'invoke' });
    await tasks.runAll();
  });

  test('is canceled if the deployment was disabled meanwhile', async () => {
    const { id } = await deployed();
    const { id: taskId } = await invoke(maintainer, id, { execute_at: tomorrow() });
    await tasks.call(siteAdmin, create, { body: { deployment_id: id, operation: { Uninstall: {} } } });
    await tasks.runAll();

    await makeDue(taskId);

    expect(await ended(taskId)).toMatchObject({ status: 'Canceled', reason: expect.stringContaining('disabled') });
  });
});

describe('a RestartK8sResource', () => {
  const track = ({ id: deployment_id, cluster_id }: { id: string; cluster_id: string }, kind = 'Deployment') => {
    const row = { id: randomUUID(), cluster_id, deployment_id, kind, name: 'web', uid: randomUUID() };
    tasks.tracked.set(row.id, row);
    return row;
  };
  const restart = (
    as: Identity,
    deployment_id: string,
    resource_id: string,
    requested: { name?: string; at?: string } = {},
  ) => {
    const { name: resource_name = 'web', at } = requested;
    const operation = { RestartK8sResource: { resource_id, resource_name } };
    return tasks.call(as, create, {
      body: { deployment_id, operation, ...(at !== undefined && { execute_at: at }) },
    });
  };

  test.for(['Deployment', 'StatefulSet', 'DaemonSet'])('restarts a %s of the deployment by its uid', async (kind) => {
    const deployment = await tasks.installed();
    const { id, uid } = track(deployment, kind);

    const { id: taskId } = await restart(maintainer, deployment.id, id);
    const claimed = await tasks.claimed();

    const { first_attempted_at: at } = await tasks.task(taskId);
    expect(claimed).toMatchObject({
      action: 'restart',
      namespace: deployment.namespace,
      restart: { kind, name: 'web', uid, at },
    });
    expect(await tasks.deployment(deployment.id)).toMatchObject({ status: 'Running' });
    await tasks.finish(claimed, 'Failed', 'not ready');
    expect(await tasks.deployment(deployment.id)).toMatchObject({ status: 'Running', reason: null });
  });

  test('keeps its time when another runner takes it over, so that no pod is restarted twice', async () => {
    const deployment = await tasks.installed();
    await restart(bot, deployment.id, track(deployment).id);
    const first = await tasks.claimed();
    await tasks.finish(first, 'HandedBack');

    const second = await tasks.claimed();

    expect(second.restart).toEqual(first.restart);
    await tasks.finish(second);
  });

  test('is for maintainers and needs a workload of the deployment with the given name', async () => {
    const [deployment, other] = [await tasks.installed(), await tasks.installed()];
    const { id: ours } = track(deployment);
    const { id: theirs } = track(other);
    const { id: job } = track(deployment, 'Job');
    const elsewhere = track({ id: deployment.id, cluster_id: tasks.otherClusterId });
    const at = 'body.operation.RestartK8sResource';

    await expect(restart(envUser, deployment.id, ours)).rejects.toEqual(refusal('forbidden', 'maintainer'));
    for (const id of [theirs, elsewhere.id, randomUUID()]) {
      await expect(restart(maintainer, deployment.id, id)).rejects.toEqual(
        refusal('unprocessable', 'no such resource', `${at}.resource_id`),
      );
    }
    await expect(restart(maintainer, deployment.id, job)).rejects.toEqual(
      refusal('unprocessable', 'is a Job', `${at}.resource_id`),
    );
    await expect(restart(maintainer, deployment.id, ours, { name: 'other' })).rejects.toEqual(
      refusal('unprocessable', 'is named web', `${at}.resource_name`),
    );
  });

  test('is refused for a disabled deployment', async () => {
    const deployment = await tasks.installed();
    const { id } = track(deployment);
    await tasks.call(owner, create, { body: { deployment_id: deployment.id, operation: { Uninstall: {} } } });

    await expect(restart(owner, deployment.id, id)).rejects.toEqual(refusal('conflict', 'disabled'));
    await tasks.runAll();
  });

  test('fails at its start if the deployment has moved since', async () => {
    const deployment = await tasks.installed();
    const { id } = track(deployment);
    const { id: taskId } = await restart(maintainer, deployment.id, id, { at: tomorrow() });
    await tasks.call(owner, deployments.operations.update, {
      id: deployment.id,
      body: { name: `m${randomUUID().slice(0, 8)}` },
    });
    await tasks.runAll();

    await makeDue(taskId);

    expect(await ended(taskId)).toMatchObject({ status: 'Failed', reason: expect.stringContaining('has moved') });
  });

  test('is retried for the same workload', async () => {
    const deployment = await tasks.installed();
    const { id: taskId } = await restart(maintainer, deployment.id, track(deployment).id);
    const first = await tasks.claimed();
    await tasks.finish(first, 'Failed', 'not ready');

    await tasks.call(maintainer, retry, { id: taskId });

    const second = await tasks.claimed();
    expect(second).toMatchObject({ action: 'restart', restart: { uid: first.restart?.uid } });
    expect(second.task_id).not.toBe(taskId);
    await tasks.finish(second);
  });
});
