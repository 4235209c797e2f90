import type { StateMessage } from '@berth/bus/state/publish-state';
import { auditOfTasks } from '@berth/contracts/resources/audit/audit-events';
import { PublishedDeployment, deployments } from '@berth/contracts/resources/deployments/deployments';
import { connectTestBus } from '@berth/testing/test-bus';
import { sampleIdentities } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startTasksInTest, type TasksInTest, until } from './support/tasks-in-test.ts';

let tasks: TasksInTest;
beforeAll(async () => {
  tasks = await startTasksInTest();
});
afterAll(() => tasks?.[Symbol.asyncDispose]());

const { owner, bot, envUser, outsider } = sampleIdentities;
const { update, delete: remove } = deployments.operations;

test('every change of a deployment is published in order, without large or private fields', async () => {
  const heard: StateMessage[] = [];
  const stop = new AbortController();
  const following = tasks.clusterSync.state.follow(deployments, {
    apply: async (message) => void heard.push(message),
    signal: stop.signal,
  });

  const { id, env_id } = await tasks.installed();
  await tasks.call(owner, update, { id, body: { description_md: 'hi' } });
  await tasks.call(owner, remove, { id });
  await tasks.runAll();
  await until(async () => heard.some(({ operation }) => operation === 'DELETE'));
  stop.abort();
  await following;

  const versions = heard.map(({ version }) => version);
  expect(versions).toEqual(versions.toSorted((a, b) => a - b));
  expect(new Set(heard.map((message) => message.env_id))).toEqual(new Set([env_id]));
  expect(heard.map(({ row }) => PublishedDeployment.parse(row).id)).toEqual(heard.map(() => id));
  expect(heard.at(-1)).toMatchObject({ operation: 'DELETE' });
});

test('actions of users are in the audit log, which keeps the name of what is deleted, and which nobody can change', async () => {
  const { id, name, namespace } = await tasks.installed({ config: { replicas: 1, tier: 'small' } });
  await tasks.call(bot, update, { id, body: { config: { replicas: 2, tier: 'large' } } });
  await tasks.call(owner, remove, { id });
  await tasks.runAll();

  const entries = await tasks.database.db.any(
    sql.type(
      z.strictObject({ action: z.string(), actor_kind: z.string().nullable(), actor_id: z.string().nullable() }),
    )`select action, actor_kind, actor_id from audit_log where object_id = ${id} and result = 'done' order by id`,
  );
  const kept = await tasks.database.db.oneFirst(sql.type(z.strictObject({ details: z.unknown() }))`
    select details from audit_log where object_id = ${id} and action = 'finish deletion'
  `);
  const change = tasks.database.db.query(sql.unsafe`delete from audit_log`);

  expect(entries).toEqual([
    { action: 'create', actor_kind: 'user', actor_id: owner.id },
    { action: 'update', actor_kind: 'bot', actor_id: bot.id },
    { action: 'delete', actor_kind: 'user', actor_id: owner.id },
    { action: 'finish deletion', actor_kind: null, actor_id: null },
  ]);
  expect(kept).toEqual({ name, namespace });
  await expect(change).rejects.toThrow('append-only');
});

test('auth reads changes and refused attempts of the envs that it names', async () => {
  const { id, env_id } = await tasks.installed();
  await tasks.call(owner, update, { id, body: { description_md: 'hi' } });
  await expect(tasks.call(outsider, remove, { id })).rejects.toMatchObject({ code: 'not_found' });
  await expect(tasks.call(envUser, remove, { id })).rejects.toMatchObject({ code: 'forbidden' });
  await using auth = await connectTestBus(tasks.nats, 'auth');
  const read = async (visible: 'all' | string[]) =>
    (await auth.call(auditOfTasks.operations.read, { body: { visible, query: { object_id: id } } })).events;

  await until(async () => (await read([env_id])).some(({ result }) => result === 'denied'));

  const events = await read([env_id]);
  expect(events.toSorted((a, b) => (a.result < b.result ? -1 : 1))).toMatchObject([
    { operation: 'delete', result: 'denied', actor: { id: envUser.id }, service: 'tasks', env_id },
    { operation: 'update', result: 'done', actor: { id: owner.id }, object: { resource: 'deployments', id } },
    { operation: 'create', result: 'done' },
  ]);
  expect(await read('all')).toEqual(events);
  expect(await read([crypto.randomUUID()])).toEqual([]);
});

test('the log of the service contains no config, override or values', async () => {
  const canary = `canary-${crypto.randomUUID()}`;
  const { id } = await tasks.create({ config: { replicas: 1, tier: 'small' }, values_override: { token: canary } });
  const claimed = await tasks.claimed();
  await tasks.finish(claimed, 'Failed', 'no');
  await expect(
    tasks.call(owner, update, { id, body: { config: { replicas: 99 }, values_override: { token: canary } } }),
  ).rejects.toThrow('replicas');

  expect(claimed.values).toMatchObject({ token: canary });
  expect(tasks.process.log()).not.toContain(canary);
  expect(tasks.process.log()).not.toContain(tasks.nats.password);
});
