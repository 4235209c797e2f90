import { randomUUID } from 'node:crypto';
import { implement } from '@berth/bus/rpc/implement';
import { type K8sEvent, k8sEvents } from '@berth/contracts/resources/clusters/k8s-events';
import { shownTexts } from '@berth/contracts/resources/deployments/shown-texts';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { deployments } from '@berth/contracts/resources/deployments/deployments';
import { type NewSecret, type Secret, secrets } from '@berth/contracts/resources/deployments/secrets';
import type { JsonObject } from '@berth/contracts/fields/json';
import { sampleIdentities } from '@berth/testing/test-identities';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { refusal } from '../support/refusal.ts';
import { sampleChart } from '../support/sample-charts.ts';
import { envId, otherEnvId, startTasksInTest, type TasksInTest, until } from '../support/tasks-in-test.ts';

const value = (input: string) => ({ FieldValue: { input } });
const property = (input: string, name: string) => ({ FieldProperty: { input, property: name } });

/** Like a chart of the upstream project: its values contain `token`. */
const form = {
  inputs: [
    { id: 'password', type: 'CollectionSelect', label: 'P', collection: 'secrets', required: true },
    { id: 'keys', type: 'array', itemType: 'CollectionSelect', label: 'K', collection: 'secrets' },
    {
      id: 'token',
      type: 'CollectionSelect',
      label: 'T',
      collection: 'secrets',
      filters: [{ field: 'collection', value: 'tokens' }],
    },
    {
      id: 'guessed',
      type: 'CollectionSelect',
      label: 'G',
      collection: 'secrets',
      filters: [{ field: 'contents', value: 'a guess' }],
    },
  ],
  outputs: {
    values: [
      { path: ['changed'], value: property('password', 'updated_at') },
      { path: ['from'], value: property('password', 'collection') },
      { path: ['ids'], value: value('keys') },
      { path: ['token'], value: property('token', 'contents') },
    ],
    secrets: {
      login: { password: property('password', 'contents'), name: property('password', 'name') },
      keys: { all: property('keys', 'contents') },
    },
  },
};

let tasks: TasksInTest;
let chartId: string;
beforeAll(async () => {
  tasks = await startTasksInTest();
  ({ id: chartId } = await tasks.publish.chart(sampleChart({ values_ui: form })));
});
afterAll(() => tasks?.[Symbol.asyncDispose]());

const { siteAdmin, envAdmin, owner } = sampleIdentities;
const { create, update, delete: remove } = secrets.operations;

const secret = (contents = 'swordfish', fields: Partial<NewSecret> = {}): Promise<Secret> =>
  tasks.call(siteAdmin, create, {
    body: { env_id: envId, collection: 'postgres', name: `s${randomUUID().slice(0, 8)}`, contents, ...fields },
  });
const tokenWith = (contents: string) => secret(contents, { collection: 'tokens' });
const deploy = (config: JsonObject) => tasks.create({ helm_chart_id: chartId, config });
const change = (id: string, body: object) => tasks.call(owner, deployments.operations.update, { id, body });
const setContents = ({ id }: Secret, contents: string) => tasks.call(envAdmin, update, { id, body: { contents } });
const installed = async (config: JsonObject) => {
  const { id } = await deploy(config);
  await tasks.runAll();
  return id;
};
const pending = async (id: string) => (await tasks.tasksOf(id)).filter(({ status }) => status === 'Pending');

describe('secrets in texts that a cluster shows about a deployment', () => {
  const contents = 'Old+Secret&Value=1234567';
  const encoded = (text: string) => Buffer.from(text).toString('base64');

  test('are redacted for cluster-sync, which never gets them, in each encoding', async () => {
    const id = await installed({ password: (await secret('pa55')).id, token: (await tokenWith(contents)).id });
    const names = ['web-7d4b9c6f5-x2x9z', `web-${contents}`, 'pa55-0'];
    const messages = [
      `Get "http://10.0.0.1/?k=${encodeURIComponent(contents)}": refused`,
      encoded(`k:${contents}`),
      'HTTP 503',
    ];
    const gone = randomUUID();

    const { deployments: shown } = await tasks.clusterSync.call(shownTexts.operations.redact, {
      body: {
        deployments: [
          { deployment_id: id, names, messages },
          { deployment_id: gone, names: ['web-1'], messages: ['anything'] },
        ],
      },
    });

    expect(shown).toEqual([
      { deployment_id: id, names: ['web-7d4b9c6f5-x2x9z', 'web-***', 'pa55-0'], messages: ['***', '***', 'HTTP 503'] },
      { deployment_id: gone, names: ['web-1'], messages: ['***'] },
    ]);
  });

  test('are redacted in its Kubernetes events', async () => {
    const id = await installed({ password: (await secret()).id, token: (await tokenWith(contents)).id });
    const event = (message: string): K8sEvent => ({
      uid: randomUUID(),
      type: 'Warning',
      reason: 'Unhealthy',
      message,
      count: 1,
      first_seen_at: '2026-01-01T00:00:00.000Z',
      last_seen_at: '2026-01-01T00:00:00.000Z',
      object: { kind: 'Pod', name: 'web-1', resource_id: null },
      source: 'kubelet',
    });
    const items = [
      event(`Get "http://h/?k=${encodeURIComponent(contents)}"`),
      event(`exec: ${contents}`),
      event('Killing'),
    ];
    tasks.clusterSync.serve(
      implement(k8sEvents, {
        list: async () => ({ page: 1, per_page: 50, items, num_total: 3, incomplete: false }),
      }),
    );

    const page = await tasks.call(owner, deployments.operations.k8s_events, { id, query: {} });

    expect(page.items.map(({ message }) => message)).toEqual(['***', 'exec: ***', 'Killing']);
  });
});

describe('contents of secrets', () => {
  test('are sent only in the claim that needs them and in Kubernetes Secrets', async () => {
    const [password, one, two] = [await secret(' kept as it is\n'), await secret('one'), await secret('"two"')];
    const { id } = await deploy({ password: password.id, keys: [one.id, two.id.toUpperCase()] });

    const claimed = await tasks.claimed();

    expect(claimed.secrets).toEqual({
      login: { password: ' kept as it is\n', name: password.name },
      keys: { all: '["one","\\"two\\""]' },
    });
    expect(claimed.values).toMatchObject({
      changed: password.updated_at,
      from: 'postgres',
      ids: [one.id, two.id.toUpperCase()],
    });
    expect(JSON.stringify(claimed.values)).not.toMatch(/kept|one|two/);
    // The values contain these texts in another form, so the claim names what the runner must redact.
    expect(claimed.confidential).toEqual(expect.arrayContaining(['one', '"two"']));
    await tasks.finish(claimed);
    expect(await tasks.deployment(id)).toMatchObject({ config: { password: password.id } });
  });

  test('are named as confidential if a chart of the upstream project has them in its values', async () => {
    const password = await secret();
    const token = await secret('of the chart', { collection: 'tokens' });
    await deploy({ password: password.id, token: token.id });

    const claimed = await tasks.claimed();

    expect(claimed.values).toMatchObject({ token: 'of the chart' });
    expect(claimed.confidential).toEqual(['of the chart']);
    await tasks.finish(claimed);
  });

  test('cannot be compared by a filter of a chart', async () => {
    const password = await secret();

    for (const contents of ['a guess', 'another'])
      await expect(deploy({ password: password.id, guessed: (await secret(contents)).id })).resolves.toMatchObject({
        status: 'Unknown',
      });
    await tasks.runAll();
  });

  test('make the task fail with a reason if they are too large together', async () => {
    const large = 'x'.repeat(256 * 1024);
    const keys: string[] = [];
    // One after the other: in parallel, they may wait longer for a connection to the database than a request may.
    while (keys.length < 11) keys.push((await secret(large)).id);
    const password = await secret();
    const { id } = await deploy({ password: password.id, keys });

    expect(await tasks.claim()).toBeNull();

    expect(await tasks.deployment(id)).toMatchObject({
      status: 'Error',
      reason: expect.stringContaining('are larger than 2621440 bytes together'),
    });
  });

  test('cannot be opened after being copied to another row: the task fails and the log says so', async () => {
    const [victim, copy] = [await secret('of the victim'), await secret()];
    await tasks.database.db.query(statement`
      update secrets set (key_id, wrapped_key, sealed_contents) =
        (select key_id, wrapped_key, sealed_contents from secrets where id = ${victim.id})
      where id = ${copy.id}
    `);
    const { id } = await deploy({ password: copy.id });

    expect(await tasks.claim()).toBeNull();

    const words = `The secret postgres/${copy.name} cannot be opened: its row was changed outside of Berth`;
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Error', reason: `Install failed: ${words}` });
    expect(tasks.process.log()).toContain('a claim could not be completed');
    await setContents(copy, 'mended');
    await expect(change(id, { config: { password: copy.id, keys: [] } })).resolves.toBeDefined();
    expect(await tasks.claimed()).toMatchObject({ secrets: { login: { password: 'mended' } } });
  });

  test('make the task wait if their key is missing', async () => {
    const password = await secret();
    const setKey = (key: string) =>
      tasks.database.db.query(statement`update secrets set key_id = ${key} where id = ${password.id}`);
    const { key_id } = await tasks.database.db.one(
      sql.type(z.object({ key_id: z.string() }))`select key_id from secrets where id = ${password.id}`,
    );
    const { id } = await deploy({ password: password.id });
    await setKey('feedfacefeedface');

    expect(await tasks.claim()).toBeNull();

    const [install] = await tasks.tasksOf(id);
    expect(install).toMatchObject({
      status: 'Pending',
      reason: expect.stringContaining('sealed under a key that the service lacks'),
    });
    await setKey(key_id);
    await tasks.database.db.query(statement`update deployment_tasks set due_at = now() where deployment_id = ${id}`);
    expect(await tasks.claimed()).toMatchObject({ deployment_id: id, secrets: { login: { password: 'swordfish' } } });
  });
});

describe('an input that points to a secret', () => {
  test.for<[string, () => Promise<string>]>([
    ['that does not exist', async () => randomUUID()],
    ['of another env', async () => (await secret('x', { env_id: otherEnvId })).id],
    ['of another collection than its filter wants', async () => (await secret()).id],
  ])('%s is refused', async ([, wrong]) => {
    const password = await secret();

    await expect(deploy({ password: password.id, token: await wrong() })).rejects.toEqual(
      refusal('unprocessable', 'secret', 'body.config.token'),
    );
  });

  test('keeps the secret from being deleted while the deployment is enabled, even in lists', async () => {
    const [password, key] = [await secret(), await secret()];
    const id = await installed({ password: password.id, keys: [key.id] });
    const { namespace } = await tasks.deployment(id);

    for (const used of [password, key])
      await expect(tasks.call(envAdmin, remove, { id: used.id })).rejects.toEqual(
        refusal('conflict', `${used.name} cannot be deleted while enabled deployments use it: ${namespace}`),
      );

    await change(id, { enabled: false });
    await tasks.runAll();
    await expect(tasks.call(envAdmin, remove, { id: key.id })).resolves.toBeNull();
    await expect(change(id, { enabled: true })).rejects.toEqual(
      refusal('unprocessable', 'no such secret in the env', 'body.config.keys'),
    );
    await expect(
      tasks.call(owner, deploymentTasks.operations.create, {
        body: {
          deployment_id: id,
          operation: {
            Install: {
              helm_chart_id: chartId,
              config_inputs: { password: password.id, keys: [key.id] },
              values_override: null,
            },
          },
        },
      }),
    ).rejects.toEqual(refusal('unprocessable', 'no such secret in the env'));
    await expect(change(id, { enabled: true, config: { password: password.id } })).resolves.toMatchObject({
      enabled: true,
    });
    await tasks.runAll();
  });

  test('is refused, or the deletion of its secret is, if both happen at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const password = await secret();

      const [deployed, deleted] = await Promise.allSettled([
        deploy({ password: password.id }),
        tasks.call(envAdmin, remove, { id: password.id }),
      ]);

      const [refused, ...others] = [deployed, deleted].filter(({ status }) => status === 'rejected');
      const reason =
        refused === deployed ? refusal('unprocessable', 'no such secret') : refusal('conflict', 'cannot be deleted');
      expect(refused).toMatchObject({ reason });
      expect(others).toEqual([]);
    }
    await tasks.runAll();
  });
});

describe('a changed secret', () => {
  test('reinstalls the enabled deployments that use it once, with the new contents', async () => {
    const [password, other] = [await secret(), await secret()];
    const id = await installed({ password: other.id, keys: [password.id] });
    const disabled = await installed({ password: password.id });
    await change(disabled, { enabled: false });
    await tasks.runAll();
    const unconcerned = await installed({ password: other.id });

    await setContents(password, 'first change');
    const changed = await setContents(password, 'second change');

    const reinstalls = await pending(id);
    const reason = `The secret postgres/${password.name}, which it uses, has changed`;
    expect(reinstalls).toMatchObject([{ operation: { Reinstall: { reason } }, acting_user_id: envAdmin.id }]);
    expect(await pending(disabled)).toEqual([]);
    expect(await pending(unconcerned)).toEqual([]);
    expect(await tasks.runAll()).toMatchObject([
      { deployment_id: id, secrets: { keys: { all: '["second change"]' } } },
    ]);
    expect(changed.updated_at > password.updated_at).toBe(true);
  });

  test('reinstalls after a rename, but not without a change', async () => {
    const password = await secret();
    const id = await installed({ password: password.id });

    await setContents(password, 'swordfish');
    expect(await pending(id)).toEqual([]);

    await tasks.call(envAdmin, update, { id: password.id, body: { name: `${password.name}-2` } });
    const reason = `The secret postgres/${password.name}, which it uses, was renamed`;
    expect(await pending(id)).toMatchObject([{ operation: { Reinstall: { reason } } }]);
    expect(await tasks.runAll()).toMatchObject([{ secrets: { login: { name: `${password.name}-2` } } }]);
  });

  test('reinstalls a deployment even if its task has just started with the old contents', async () => {
    const password = await secret('old');
    const { id } = await deploy({ password: password.id });
    const claimed = await tasks.claimed();
    expect(claimed).toMatchObject({ secrets: { login: { password: 'old' } } });

    await setContents(password, 'new');
    await tasks.finish(claimed);

    expect(await tasks.runAll()).toMatchObject([{ deployment_id: id, secrets: { login: { password: 'new' } } }]);
  });

  test('makes a claim wait while it is being changed', async () => {
    const password = await secret('old');
    await deploy({ password: password.id });
    let claiming: ReturnType<typeof tasks.claimed> | undefined;
    const waits = statement`select from pg_locks where not granted and locktype = 'transactionid'`;

    await tasks.database.db.transaction(async (tx) => {
      await tx.query(statement`select from secrets where id = ${password.id} for no key update`);
      claiming = tasks.claimed();
      await until(() => tx.exists(waits), 1_500);
      await tx.query(statement`update secrets set name = name || '-2' where id = ${password.id}`);
    });

    expect(await claiming).toMatchObject({ secrets: { login: { password: 'old', name: `${password.name}-2` } } });
  });

  test('can be renamed while a change of a deployment refers to it', async () => {
    const password = await secret();

    await tasks.database.db.transaction(async (tx) => {
      await tx.query(statement`select from secrets where id = ${password.id} for key share`);
      const body = { name: `${password.name}-2`, contents: 'new' };
      await expect(tasks.call(envAdmin, update, { id: password.id, body })).resolves.toMatchObject({ name: body.name });
    });
  });
});
