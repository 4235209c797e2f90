import { randomBytes, randomUUID } from 'node:crypto';
import type { Identity } from '@berth/contracts/access/identity';
import { etagOf } from '@berth/bus/rpc/etag';
import type { JsonValue } from '@berth/contracts/fields/json';
import { deploymentResourceTypes } from '@berth/contracts/resources/deployments/deployment-resource-types';
import {
  type DeploymentResource,
  deploymentResources,
  type NewDeploymentResource,
} from '@berth/contracts/resources/deployments/deployment-resources';
import { type Deployment, deployments } from '@berth/contracts/resources/deployments/deployments';
import { deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { deploymentUsage } from '@berth/contracts/resources/deployments/deployment-usage';
import {
  type ResourceCall,
  type ResourceCallResult,
  resourceCalls,
} from '@berth/contracts/resources/tasks/resource-calls';
import { secrets } from '@berth/contracts/resources/deployments/secrets';
import { identityToken, sampleIdentities } from '@berth/testing/test-identities';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { resealSecrets } from '../../src/secrets/reseal-secrets.ts';
import { openProps } from '../../src/secrets/sealed-props.ts';
import { createSecretKeys, type SecretKeys } from '../../src/secrets/secret-keys.ts';
import { inTransactionOf, readingStore } from '../../src/store/store.ts';
import { refusal } from '../support/refusal.ts';
import { databaseForm, databaseTypes, managingChart, usingChart } from '../support/resource-charts.ts';
import { sampleChart } from '../support/sample-charts.ts';
import {
  envId,
  kindId,
  otherEnvId,
  otherKindId,
  startTasksInTest,
  type TasksInTest,
  testKey,
  until,
} from '../support/tasks-in-test.ts';

const { siteAdmin, owner, maintainer, envUser, envAdmin, outsider, bot } = sampleIdentities;
const { list, get, create, update, delete: remove } = deploymentResources.operations;
const types = deploymentResourceTypes.operations;

const chart = managingChart();
const using = usingChart();

let tasks: TasksInTest;
let manager: Deployment;
beforeAll(async () => {
  tasks = await startTasksInTest();
  await tasks.publish.cluster({ id: tasks.clusterId, env_id: envId, ingress_domain: 'apps.example.com' });
  await tasks.publish.chart(chart);
  await tasks.publish.chart(using);
  await until(() => tasks.database.db.exists(statement`select from helm_chart_projection where id = ${using.id}`));
  manager = await tasks.installed({ helm_chart_id: chart.id });
});
afterAll(() => tasks?.[Symbol.asyncDispose]());
/** Removes the resources of earlier tests. */
beforeEach(async () => {
  await tasks.database.db.query(
    statement`update deployment_resources set due_at = 'infinity', fence = null, is_slow = false`,
  );
});

const typeId = async (key: string) => {
  const { items } = await tasks.call(siteAdmin, types.list, { query: { key, deployment_kind_id: kindId } });
  const [type, ...others] = items.filter(({ env_id }) => env_id === envId || env_id === null);
  if (!type || others.length > 0) throw new Error(`not one type has the key ${key}`);
  return type.id;
};
const asManager = (deployment: Deployment = manager): Identity => ({
  kind: 'deployment',
  id: deployment.id,
  env_id: deployment.env_id,
});
interface NewResource extends Partial<NewDeploymentResource> {
  key?: string;
}
const make = async ({ key = 'database', ...fields }: NewResource = {}, as: Identity = maintainer) =>
  tasks.call(as, create, {
    body: {
      type_id: await typeId(key),
      deployment_id: manager.id,
      name: `r${randomUUID().slice(0, 8)}`,
      props: { size: 2 },
      ...fields,
    },
  });
const change = (id: string, body: { name?: string; props?: JsonValue }, as: Identity = owner) =>
  tasks.call(as, update, { id, body });
/** With the tasks that the answer names in its headers. */
const changeAsGateway = async (id: string, body: { props: JsonValue }, as: Identity) =>
  tasks.gateway.callForBytes(
    update,
    { id, body },
    { identityToken: await identityToken(as, 'tasks'), requestId: randomUUID() },
  );
const read = (id: string) => tasks.call(siteAdmin, get, { id });

const claim = async (lane: 'quick' | 'slow' = 'quick', places = 3) =>
  (await tasks.runner.call(resourceCalls.operations.claim, { body: { lane, places } })).calls;
const claimed = async (id: string): Promise<ResourceCall> => {
  const [call, ...others] = await claim();
  if (call?.resource_id !== id || others.length > 0) throw new Error('not the one call is due');
  return call;
};
const report = (
  { resource_id, fence }: ResourceCall,
  outcome: ResourceCallResult['outcome'] = 'Done',
  reason: string | null = null,
  took_ms = 5,
): Promise<null> =>
  tasks.runner.call(resourceCalls.operations.report, {
    body: { results: [{ resource_id, fence, took_ms, outcome, reason }] },
  });
const makeDue = (id: string) =>
  tasks.database.db.query(statement`update deployment_resources set due_at = now() where id = ${id}`);
const dueIn = async (id: string, since: string | null = null) =>
  tasks.database.db.oneFirst(sql.type(z.object({ secs: z.number() }))`
    select extract(epoch from due_at - coalesce(${since}::timestamptz, clock_timestamp()))::float as secs
    from deployment_resources where id = ${id}
  `);

/** An existing resource of the managing deployment. */
async function ready(wanted: NewResource = {}): Promise<DeploymentResource> {
  const { id } = await make(wanted);
  const [call] = await claim();
  if (call?.resource_id === id) await report(call);
  return read(id);
}
const use = (config: object) => tasks.installed({ helm_chart_id: using.id, config: config as never });
const reinstalls = async (id: string) =>
  (await tasks.tasksOf(id)).filter(({ operation, status }) => 'Reinstall' in operation && status === 'Pending');

describe('the resource types of a chart', () => {
  test('are registered when its deployment is installed, in its env or globally', async () => {
    const { items } = await tasks.call(envUser, types.list, { query: { deployment_kind_id: kindId, sort: 'key' } });

    expect(items.map(({ key, env_id }) => [key, env_id])).toEqual([
      ['database', envId],
      ['fixed', envId],
      ['note', envId],
      ['shared', null],
    ]);
    const [type] = items;
    expect(type?.spec).toMatchObject({
      name_plural: 'Databases',
      global: false,
      lifecycle: { update: { allowed_role: 'Owner', target: { method: 'PUT' } } },
      values_ui: { inputs: [{ id: 'size' }, { id: 'owner' }, { id: 'password', sensitive: true }] },
    });
    expect(await tasks.call(envUser, types.get, { id: type?.id ?? '' })).toEqual(type);
    await expect(tasks.call(outsider, types.get, { id: type?.id ?? '' })).rejects.toEqual(refusal('not_found'));
    const seen = await tasks.call(outsider, types.list, { query: {} });
    expect(seen.items.map(({ key }) => key)).toEqual(['shared']);
  });

  test('are those registered last; repeating older ones changes nothing, and removing a deployment restores earlier ones', async () => {
    const key = `k${randomUUID().slice(0, 8)}`;
    const spec = (name: string) => ({ [key]: { ...databaseTypes.database, name_plural: name } });
    const [first, second] = [managingChart(spec('First')), managingChart(spec('Second'))];
    for (const each of [first, second]) await tasks.publish.chart(each);
    await until(() => tasks.database.db.exists(statement`select from helm_chart_projection where id = ${second.id}`));
    const now = async () =>
      (await tasks.call(siteAdmin, types.list, { query: { key } })).items.map(
        ({ spec: { name_plural } }) => name_plural,
      );

    const one = await tasks.installed({ helm_chart_id: first.id });
    expect(await now()).toEqual(['First']);
    const other = await tasks.installed({ helm_chart_id: second.id });
    expect(await now()).toEqual(['Second']);
    await tasks.call(owner, deploymentTasks.operations.create, {
      body: { deployment_id: one.id, operation: { Reinstall: { reason: 'again' } } },
    });
    await tasks.runAll();
    expect(await now()).toEqual(['Second']);
    await tasks.call(owner, deployments.operations.delete, { id: other.id });
    await tasks.runAll();
    expect(await now()).toEqual(['First']);
    await tasks.call(owner, deployments.operations.update, { id: one.id, body: { enabled: false } });
    await tasks.runAll();
    expect(await now()).toEqual(['First']);
  });

  test('stay when a newer chart drops them; their resources wait, and new ones cannot be created', async () => {
    const key = `k${randomUUID().slice(0, 8)}`;
    const [before, after] = [managingChart({ [key]: databaseTypes.database }), managingChart(null)];
    for (const each of [before, after]) await tasks.publish.chart(each);
    await until(() => tasks.database.db.exists(statement`select from helm_chart_projection where id = ${after.id}`));
    const other = await tasks.installed({ helm_chart_id: before.id });
    const { id } = await make({ key, deployment_id: other.id });

    await tasks.call(owner, deployments.operations.update, { id: other.id, body: { helm_chart_id: after.id } });
    await tasks.runAll();

    expect(await claim()).toEqual([]);
    expect(await read(id)).toMatchObject({
      sync_status: 'Creating',
      sync_reason: `Waits until the chart of ${other.namespace}, which manages it, defines its type again`,
    });
    await expect(make({ key, deployment_id: other.id })).rejects.toEqual(
      refusal('unprocessable', 'does not manage resources of this type', 'body.deployment_id'),
    );
    await tasks.call(owner, deployments.operations.update, { id: other.id, body: { helm_chart_id: before.id } });
    await tasks.runAll();
    await report(await claimed(id));
    expect(await read(id)).toMatchObject({ sync_status: 'Ready', sync_reason: null });
  });
});

describe('a resource', () => {
  test('is created by a call to its managing deployment, with its id and all props', async () => {
    const created = await make({ name: ' main ', props: { size: 3, password: 'swordfish', owner: null } });

    expect(created).toEqual({
      id: expect.any(String),
      created_at: expect.any(String),
      type_id: await typeId('database'),
      deployment_id: manager.id,
      name: 'main',
      exists: true,
      props: { size: 3 },
      sync_status: 'Creating',
      sync_reason: null,
      revision: 1,
    });
    const { call, ...claimedCall } = await claimed(created.id);
    expect({ ...call, body: JSON.parse(call.body ?? '') }).toEqual({
      host: `${manager.namespace}.apps.example.com`,
      path: '/databases',
      method: 'POST',
      token: `token-for-${manager.id}`,
      hidden: ['swordfish'],
      is_deletion: false,
      // Called services get the fields that they always had.
      body: { ...created, revision: undefined, props: { size: 3, password: 'swordfish' } },
    });
    expect(tasks.callTokens.requests).toContainEqual({ deployment_id: manager.id, method: 'POST', path: '/databases' });
    expect(await claim()).toEqual([]);

    await report({ call, ...claimedCall });
    const now = await read(created.id);
    expect(now).toEqual({ ...created, sync_status: 'Ready' });
    expect((await tasks.call(envUser, list, { query: { deployment_id: manager.id } })).items).toContainEqual(now);
    expect((await tasks.call(envUser, list, { query: { type_id: randomUUID() } })).items).toEqual([]);
    // A resource always has an env.
    await expect(tasks.call(envUser, list, { query: { env_id: 'null' } })).rejects.toMatchObject({ code: 'invalid' });
  });

  test('is Ready at once if its type names no call', async () => {
    const note = await make({ key: 'note' });
    expect(note).toMatchObject({ sync_status: 'Ready', exists: true });

    expect(await change(note.id, { props: { size: 4 } })).toMatchObject({ sync_status: 'Ready', props: { size: 4 } });
    await tasks.call(maintainer, remove, { id: note.id });
    expect(await read(note.id)).toMatchObject({ exists: false });
    expect(await claim()).toEqual([]);
  });

  test('keeps props that a change leaves out, and loses those set to null', async () => {
    const { id } = await ready({ props: { size: 3, owner: 'ada', password: 'swordfish' } });

    const changed = await change(id, { props: { size: 4, owner: null } });

    expect(changed).toMatchObject({ props: { size: 4 }, sync_status: 'Updating' });
    const call = await claimed(id);
    expect(call.call).toMatchObject({ method: 'PUT' });
    expect(JSON.parse(call.call.body ?? '').props).toEqual({ size: 4, password: 'swordfish' });
    await report(call);
    expect(await change(id, { props: { size: 4, password: 'swordfish' } })).toMatchObject({ sync_status: 'Ready' });
    expect(await change(id, {})).toMatchObject({ sync_status: 'Ready' });
    expect(await change(id, { name: 'renamed' })).toMatchObject({ name: 'renamed', sync_status: 'Updating' });
  });

  test('keeps sensitive props out of answers, ETag, events, the audit log and the rows of the database', async () => {
    const canary = `canary-${randomUUID()}`;
    const { id } = await ready({ props: { size: 3, password: canary } });
    const tag = etagOf(deploymentResources, await read(id));
    const answers = [await change(id, { props: { password: `${canary}-2` } }), await read(id)];
    await report(await claimed(id));

    expect(JSON.stringify([answers, await tasks.call(siteAdmin, list, { query: {} })])).not.toContain(canary);
    expect(etagOf(deploymentResources, await read(id))).not.toBe(tag);
    for (const table of ['deployment_resources', 'outbox', 'audit_log', 'deployment_tasks', 'idempotency_keys']) {
      const rows = await tasks.database.db.anyFirst(sql.type(z.object({ row: z.string() }))`
        select t::text as row from ${sql.identifier([table])} t
      `);
      expect(rows.filter((row) => row.includes(canary) || row.includes(Buffer.from(canary).toString('hex')))).toEqual(
        [],
      );
    }
  });

  test('is not changed by a request with an older ETag', async () => {
    const resource = await ready();
    const ifMatch = etagOf(deploymentResources, resource);
    await change(resource.id, { name: 'other' });

    await expect(
      tasks.call(owner, update, { id: resource.id, body: { name: 'third' } }, { ifMatch: ifMatch ?? '' }),
    ).rejects.toEqual(refusal('stale'));
  });

  test('is not changed by the second of two requests with the same ETag, though only a prop that is never shown differs', async () => {
    const resource = await ready({ props: { size: 3, password: 'first' } });
    const ifMatch = etagOf(deploymentResources, resource) ?? '';
    const setPassword = (password: string) =>
      tasks.call(owner, update, { id: resource.id, body: { props: { password } } }, { ifMatch });

    await setPassword('second');
    await expect(setPassword('third')).rejects.toEqual(refusal('stale'));
  });

  test('is created once if the request is repeated, even with sensitive props', async () => {
    const body = {
      type_id: await typeId('database'),
      deployment_id: manager.id,
      name: 'once',
      props: { size: 1, password: 'swordfish' },
    };
    const idempotencyKey = randomUUID();
    const first = await tasks.call(maintainer, create, { body }, { idempotencyKey });

    expect(await tasks.call(maintainer, create, { body }, { idempotencyKey })).toEqual(first);
    const other = { ...body, props: { size: 1, password: 'sailfish' } };
    await expect(tasks.call(maintainer, create, { body: other }, { idempotencyKey })).rejects.toEqual(
      refusal('unprocessable', 'used with another request'),
    );
  });

  test('has a unique name within its type until it is deleted', async () => {
    const { id, name } = await ready();
    const other = await ready();
    const taken = refusal('conflict', `There is a resource ${name} of this type already`);
    await expect(make({ name })).rejects.toEqual(taken);
    await expect(change(other.id, { name })).rejects.toEqual(taken);

    await tasks.call(maintainer, remove, { id });
    expect(await read(id)).toMatchObject({ exists: true, sync_status: 'Deleting' });
    await expect(make({ name })).rejects.toEqual(taken);
    await expect(change(id, { name: 'x' })).rejects.toEqual(refusal('conflict', 'is being deleted'));
    const call = await claimed(id);
    expect(call.call).toMatchObject({ method: 'DELETE', is_deletion: true });
    await report(call);

    expect(await read(id)).toMatchObject({ exists: false, name });
    const { items } = await tasks.call(siteAdmin, list, { query: { deployment_id: manager.id } });
    expect(items.map((item) => item.id)).not.toContain(id);
    expect(items.map((item) => item.id)).toContain(other.id);
    await expect(tasks.call(maintainer, remove, { id })).rejects.toEqual(refusal('conflict', 'was deleted already'));
    await expect(change(id, { name: 'x' })).rejects.toEqual(refusal('conflict', 'was deleted'));
    expect(await make({ name })).toMatchObject({ name });
  });
});

test('a deleted resource can be read by its id for a day, and is forgotten after that', async () => {
  const [kept, forgotten] = [await make({ key: 'note' }), await make({ key: 'note' })];
  for (const [{ id }, age] of [
    [kept, '23 hours'],
    [forgotten, '24 hours 1 second'],
  ] as const) {
    await tasks.call(maintainer, remove, { id });
    await tasks.database.db.query(statement`
      update deployment_resources set changed_at = clock_timestamp() - ${age}::interval where id = ${id}
    `);
  }

  await until(() =>
    read(forgotten.id).then(
      () => false,
      () => true,
    ),
  );
  await expect(read(forgotten.id)).rejects.toEqual(refusal('not_found'));
  expect(await read(kept.id)).toMatchObject({ id: kept.id, name: kept.name, exists: false });
});

describe('a call for a resource', () => {
  test('is repeated after a pause if it fails, shows the reason, and ends as an Error after twelve attempts', async () => {
    const { id } = await make();
    const call = await claimed(id);
    const before = await tasks.database.db.oneFirst(
      sql.type(z.object({ now: z.string() }))`select clock_timestamp()::text as now`,
    );
    await report(call, 'Retry', 'The deployment answered 503');

    expect(await read(id)).toMatchObject({ sync_status: 'Creating', sync_reason: 'The deployment answered 503' });
    expect(await dueIn(id, before)).toBeGreaterThan(3);
    expect(await dueIn(id)).toBeLessThan(7);
    expect(await claim()).toEqual([]);
    for (let attempt = 2; attempt <= 12; attempt += 1) {
      await makeDue(id);
      await report(await claimed(id), 'Retry', 'The deployment answered 503');
    }
    expect(await read(id)).toMatchObject({
      sync_status: 'Error',
      sync_reason: 'The deployment answered 503 (12 attempts)',
      exists: true,
    });
    await makeDue(id);
    expect(await claim()).toEqual([]);

    const again = await change(id, { props: { size: 2 } });
    expect(again).toMatchObject({ sync_status: 'Creating', sync_reason: null });
    await report(await claimed(id));
    expect(await read(id)).toMatchObject({ sync_status: 'Ready', sync_reason: null });
  });

  test('leads to Error at once if it is refused permanently', async () => {
    const { id } = await make();
    await report(await claimed(id), 'Failed', 'The deployment answered 400: no');

    expect(await read(id)).toMatchObject({ sync_status: 'Error', sync_reason: 'The deployment answered 400: no' });
    await tasks.call(maintainer, remove, { id });
    await report(await claimed(id));
    expect(await read(id)).toMatchObject({ exists: false });
  });

  test('is followed by another call if a newer change was made meanwhile', async () => {
    const { id } = await make({ props: { size: 1 } });
    const first = await claimed(id);

    expect(await change(id, { props: { size: 2 } })).toMatchObject({ sync_status: 'Creating' });
    expect(await claim()).toEqual([]);
    await report(first);

    expect(await read(id)).toMatchObject({ sync_status: 'Updating', props: { size: 2 } });
    const second = await claimed(id);
    expect([second.call.method, JSON.parse(second.call.body ?? '').props]).toEqual(['PUT', { size: 2 }]);
    await report(second);
    expect(await read(id)).toMatchObject({ sync_status: 'Ready' });
  });

  test('is followed by a deletion that was requested meanwhile', async () => {
    const { id } = await make();
    const first = await claimed(id);
    await tasks.call(maintainer, remove, { id });
    await report(first, 'Retry', 'The deployment answered 500');

    expect(await read(id)).toMatchObject({ sync_status: 'Deleting', sync_reason: null });
    const deletion = await claimed(id);
    expect(deletion.call.is_deletion).toBe(true);
    await report(deletion);
    expect(await read(id)).toMatchObject({ exists: false });
  });

  test('is never made for a resource that is deleted before its first call', async () => {
    const { id } = await make();
    await tasks.call(maintainer, remove, { id });

    expect(await read(id)).toMatchObject({ exists: false });
    expect(await claim()).toEqual([]);
  });

  test('is repeated after its runner went silent, and a late report changes nothing', async () => {
    const { id } = await make();
    const lost = await claimed(id);
    expect(await dueIn(id)).toBeGreaterThan(60);
    await makeDue(id);
    const again = await claimed(id);

    expect(JSON.parse(again.call.body ?? '').id).toBe(id);
    await report(lost, 'Failed', 'too late');
    expect(await read(id)).toMatchObject({ sync_status: 'Creating', sync_reason: null });
    await report(again);
    await report(again, 'Failed', 'a repeat');
    expect(await read(id)).toMatchObject({ sync_status: 'Ready' });
  });

  test('waits for its token while auth does not answer', async () => {
    const { id } = await make();
    tasks.callTokens.away = true;
    try {
      expect(await claim()).toEqual([]);
      expect(await read(id)).toMatchObject({ sync_status: 'Creating', sync_reason: 'The database of auth is away' });
    } finally {
      tasks.callTokens.away = false;
    }
  });

  test('fails if only older rules accepted the spec, while calls to other deployments continue', async () => {
    const other = await tasks.installed({ helm_chart_id: chart.id });
    const broken = await make({ deployment_id: other.id });
    await tasks.database.db.query(
      statement`update resource_type_registrations set spec = '{}' where deployment_id = ${other.id}`,
    );
    const { id } = await make();

    expect((await claim()).map(({ resource_id }) => resource_id)).toEqual([id]);
    expect(await read(broken.id)).toMatchObject({
      sync_status: 'Creating',
      sync_reason: expect.stringContaining('does not fit the present rules'),
    });
  });

  test('uses few slots per deployment, and slow deployments have a separate lane', async () => {
    const other = await tasks.installed({ helm_chart_id: chart.id });
    const slow = await Promise.all([make(), make(), make(), make()]);
    await make({ deployment_id: other.id });

    const [quick, none] = [await claim(), await claim()];
    const ofSlow = quick.filter(({ resource_id }) => slow.some(({ id }) => id === resource_id));
    expect([quick.length, ofSlow.length, none.length]).toEqual([3, 2, 0]);
    for (const call of ofSlow) await report(call, 'Done', null, 20_000);
    for (const call of quick.filter((each) => !ofSlow.includes(each))) await report(call);

    expect(await claim()).toEqual([]);
    expect(await claim('slow')).toHaveLength(1);
    expect(await claim('slow')).toEqual([]);
  });

  test('waits while its managing deployment is disabled, and is made once that runs again', async () => {
    const other = await tasks.installed({ helm_chart_id: chart.id });
    const { id } = await make({ deployment_id: other.id });
    const enable = (enabled: boolean) =>
      tasks.call(owner, deployments.operations.update, { id: other.id, body: { enabled } });
    await enable(false);

    expect(await claim()).toEqual([]);
    expect((await read(id)).sync_reason).toBe(`Waits until ${other.namespace}, which manages it, is enabled`);
    await expect(make({ deployment_id: other.id })).rejects.toEqual(refusal('conflict', 'is disabled'));
    await tasks.runAll();
    await enable(true);
    expect((await read(id)).sync_reason).toBe(`Waits until ${other.namespace}, which manages it, is installed`);
    await tasks.runAll();
    await report(await claimed(id));
    expect(await read(id)).toMatchObject({ sync_status: 'Ready', sync_reason: null });
  });

  test('is given up when its managing deployment is deleted; the resource can then only be deleted', async () => {
    const other = await tasks.installed({ helm_chart_id: chart.id });
    const going = await ready({ deployment_id: other.id });
    const kept = await ready({ deployment_id: other.id });
    const waiting = await make({ deployment_id: other.id });
    await tasks.call(maintainer, remove, { id: going.id });
    await tasks.call(owner, deployments.operations.delete, { id: other.id });
    await tasks.runAll();

    await until(async () => (await read(waiting.id)).sync_status === 'Error');
    expect(await read(waiting.id)).toMatchObject({
      deployment_id: null,
      sync_reason: 'The deployment that managed it was deleted',
    });
    await until(async () => !(await read(going.id)).exists);
    expect(await read(kept.id)).toMatchObject({ deployment_id: null, sync_status: 'Ready', exists: true });
    await expect(change(kept.id, { name: 'x' })).rejects.toEqual(refusal('conflict', 'can be deleted only'));
    await tasks.call(maintainer, remove, { id: kept.id });
    expect(await read(kept.id)).toMatchObject({ exists: false });
  });
});

describe('the managing deployment', () => {
  test('announces resources with its own id, time and state, even if others may not create them', async () => {
    const id = randomUUID();
    const created_at = '2020-02-02T02:02:02.000Z';
    const announced = { id, created_at, sync_status: 'Ready' as const };

    expect(await make({ key: 'fixed', ...announced }, asManager())).toMatchObject({ ...announced, exists: true });
    expect(await make({ ...announced, name: 'ignored' })).toMatchObject({
      id: expect.not.stringContaining(id),
      created_at: expect.not.stringContaining(created_at),
      sync_status: 'Creating',
    });
    await expect(make({ key: 'fixed' })).rejects.toEqual(refusal('unprocessable', 'are created by', 'body.type_id'));
    await expect(make({ key: 'fixed', ...announced }, asManager())).rejects.toEqual(refusal('conflict', id));
    expect(await change(id, { props: { size: 5 } }, asManager())).toMatchObject({
      sync_status: 'Ready',
      props: { size: 5 },
    });
    await expect(change(id, { props: { size: 6 } })).rejects.toEqual(refusal('conflict', 'changes them'));
    await expect(tasks.call(owner, remove, { id })).rejects.toEqual(refusal('conflict', 'deletes them'));
    expect(await tasks.call(asManager(), remove, { id })).toBeNull();
    expect(await read(id)).toMatchObject({ exists: false });
    expect(await make({ key: 'fixed', ...announced, name: 'back' }, asManager())).toMatchObject({ id, name: 'back' });
  });

  test('fills in props during a call, which causes no further call', async () => {
    const { id } = await make();
    const call = await claimed(id);

    await change(id, { props: { owner: 'generated' } }, asManager());
    expect(await read(id)).toMatchObject({ sync_status: 'Creating', props: { size: 2, owner: 'generated' } });
    await report(call);

    expect(await read(id)).toMatchObject({ sync_status: 'Ready', props: { size: 2, owner: 'generated' } });
    expect(await claim()).toEqual([]);
  });
});

describe('a resource is refused', () => {
  const callers: [string, Identity, boolean, boolean][] = [
    ['a site admin', siteAdmin, true, true],
    ['an env admin', envAdmin, true, true],
    ['an owner of the kind', owner, true, true],
    ['a maintainer of the kind', maintainer, true, false],
    ['a bot', bot, true, false],
    ['another deployment of the env', { ...sampleIdentities.deployment }, true, false],
    ['a member of the env', envUser, false, false],
  ];
  test.for(callers)('to %s unless its type allows that role', async ([, identity, creates, updates]) => {
    const { id } = await ready();
    const forbidden = refusal('forbidden', 'the role that the type of the resource names');
    const outcome = (allowed: boolean) => (allowed ? 'allowed' : forbidden);
    const attempt = (work: Promise<unknown>) =>
      work.then(
        () => 'allowed',
        (error: unknown) => error,
      );

    expect(await attempt(make({}, identity))).toEqual(outcome(creates));
    expect(await attempt(change(id, { props: { size: 7 } }, identity))).toEqual(outcome(updates));
    expect(await attempt(tasks.call(identity, remove, { id }))).toEqual(outcome(creates));
  });

  test('with not_found if the caller does not see its env', async () => {
    const { id } = await ready();
    for (const identity of [outsider, { ...sampleIdentities.deployment, env_id: otherEnvId }]) {
      await expect(tasks.call(identity, get, { id })).rejects.toEqual(refusal('not_found'));
      await expect(change(id, { name: 'x' }, identity)).rejects.toEqual(refusal('not_found'));
      await expect(tasks.call(identity, remove, { id })).rejects.toEqual(refusal('not_found'));
      expect((await tasks.call(identity, list, { query: {} })).items).toEqual([]);
      await expect(make({}, identity)).rejects.toEqual(refusal('unprocessable', 'no such', 'body.type_id'));
    }
  });

  test.for<[string, Partial<Record<keyof NewDeploymentResource, unknown>>, string, string]>([
    ['with props that are not an object', { props: [1] }, 'must be a JSON object', 'body.props'],
    ['with an unknown prop', { props: { size: 1, colour: 'red' } }, 'is not an input', 'body.props.colour'],
    ['with a prop out of its range', { props: { size: 10 } }, 'at most 9', 'body.props.size'],
    ['without a required prop', { props: { size: null } }, 'is required', 'body.props.size'],
    ['of a type that does not exist', { type_id: randomUUID() }, 'no such', 'body.type_id'],
    ['of a deployment that does not exist', { deployment_id: randomUUID() }, 'no such', 'body.deployment_id'],
  ])('%s', async ([, fields, words, path]) => {
    await expect(make(fields as NewResource)).rejects.toEqual(refusal('unprocessable', words, path));
  });

  test('if the deployment has another kind or the type another env', async () => {
    const registry = randomUUID();
    await tasks.publish.registry(registry, otherKindId);
    const elsewhere = { ...managingChart(), helm_registry_id: registry };
    await tasks.publish.chart(elsewhere);
    await until(() =>
      tasks.database.db.exists(statement`select from helm_chart_projection where id = ${elsewhere.id}`),
    );
    await until(() => tasks.database.db.exists(statement`select from helm_registry_projection where id = ${registry}`));
    const { id: of_kind } = await tasks.create({ helm_chart_id: elsewhere.id, kind_id: otherKindId }, siteAdmin);
    const { id: in_env } = await tasks.create({ helm_chart_id: chart.id, cluster_id: tasks.otherClusterId }, siteAdmin);
    await tasks.runAll();

    await expect(make({ deployment_id: of_kind }, siteAdmin)).rejects.toEqual(refusal('unprocessable', 'another kind'));
    const [type] = (
      await tasks.call(siteAdmin, types.list, { query: { key: 'database', env_id: envId, deployment_kind_id: kindId } })
    ).items;
    await expect(make({ type_id: type?.id ?? '', deployment_id: in_env }, siteAdmin)).rejects.toEqual(
      refusal('unprocessable', 'another env', 'body.deployment_id'),
    );
  });
});

describe('a deployment that refers to resources', () => {
  test('has their properties in its values, and the sensitive ones in its Secrets', async () => {
    const db = await ready({ name: 'refer', props: { size: 3, password: 'swordfish' } });
    const other = await ready({ props: { size: 5 } });
    await tasks.create({ helm_chart_id: using.id, config: { db: db.id, more: [db.id, other.id] } });

    const task = await tasks.claimed();
    await tasks.finish(task);

    expect(task.values).toMatchObject({ db: { name: 'refer', size: 3 }, sizes: [3, 5] });
    expect(task.secrets).toEqual({ 'db-login': { password: 'swordfish' } });
    expect(JSON.stringify(task.values)).not.toContain('swordfish');
  });

  test('is reinstalled when a changed resource is Ready, not before', async () => {
    const { id } = await ready({ name: 'changing' });
    const deployment = await use({ more: [id] });
    await change(id, { props: { size: 8 } });
    expect(await reinstalls(deployment.id)).toEqual([]);

    await report(await claimed(id));

    expect(await reinstalls(deployment.id)).toMatchObject([
      {
        operation: { Reinstall: { reason: 'The resource database/changing, which it uses, has changed' } },
        acting_user_id: owner.id,
      },
    ]);
    const [task] = await tasks.runAll();
    expect(task?.values).toMatchObject({ sizes: [8] });
  });

  test('is reinstalled at once by a change that the managing deployment announces, whose answer names the task', async () => {
    const { id } = await ready({ props: { size: 2, password: 'swordfish' } });
    const deployment = await use({ db: id });
    const { queued } = await changeAsGateway(id, { props: { owner: 'announced' } }, asManager());

    const made = await reinstalls(deployment.id);
    expect(made).toMatchObject([{ acting_deployment_id: manager.id }]);
    expect(queued).toEqual({ ids: [made[0]?.id], count: 1 });
    await tasks.runAll();
  });

  test('keeps them from being deleted, and their managing deployment from being disabled or deleted', async () => {
    const { id, name } = await ready();
    const { id: using_id, namespace } = await use({ db: id });
    await expect(tasks.call(maintainer, remove, { id })).rejects.toEqual(
      refusal('conflict', `database/${name} cannot be deleted while enabled deployments use it: ${namespace}`),
    );
    const enable = (deployment: string, enabled: boolean) =>
      tasks.call(owner, deployments.operations.update, { id: deployment, body: { enabled } });
    const used = refusal('conflict', `while enabled deployments use it`);
    await expect(enable(manager.id, false)).rejects.toEqual(used);
    await expect(tasks.call(owner, deployments.operations.delete, { id: manager.id })).rejects.toEqual(used);

    await enable(using_id, false);
    await tasks.call(maintainer, remove, { id });
    await report(await claimed(id));
    await tasks.runAll();
    await expect(enable(using_id, true)).rejects.toEqual(
      refusal('unprocessable', 'no such resource in the env', 'body.config.db'),
    );
  });

  test('is refused if a resource is missing, being deleted, of another type or env, or excluded by a filter', async () => {
    const note = await make({ key: 'note' });
    const going = await ready();
    const small = await ready({ props: { size: 1 } });
    const there = await tasks.create({ helm_chart_id: chart.id, cluster_id: tasks.otherClusterId }, siteAdmin);
    await tasks.runAll();
    const [type] = (await tasks.call(siteAdmin, types.list, { query: { key: 'database', env_id: otherEnvId } })).items;
    const ofThere = { type_id: type?.id ?? '', deployment_id: there.id, sync_status: 'Ready' as const };
    const elsewhere = await make(ofThere, asManager(there));
    await tasks.call(maintainer, remove, { id: going.id });
    const refused = (config: object, words: string, path: string) =>
      expect(use(config)).rejects.toEqual(refusal('unprocessable', words, path));

    for (const id of [randomUUID(), note.id, going.id, elsewhere.id])
      await refused({ db: id }, 'no such resource', 'body.config.db');
    await refused({ more: [small.id, note.id] }, 'no such resource', 'body.config.more');
    await refused({ large: small.id }, 'whose size is 9', 'body.config.large');
    await report(await claimed(going.id));
  });
});

test('a managing deployment is not moved to another env while it manages resources', async () => {
  const other = await tasks.installed({ helm_chart_id: chart.id });
  const { name } = await ready({ deployment_id: other.id });

  await expect(
    tasks.call(siteAdmin, deployments.operations.update, { id: other.id, body: { cluster_id: tasks.otherClusterId } }),
  ).rejects.toEqual(refusal('conflict', `cannot be moved to another env while it manages resources: database/${name}`));
});

test('auth learns the resources of an env and deletes them with the env, together with their types', async () => {
  const env = await tasks.publish.env({ id: randomUUID(), name: 'going' });
  const { id: cluster_id } = await tasks.publish.cluster({ env_id: env.id, name: 'going' });
  await until(() => tasks.database.db.exists(statement`select from k8s_cluster_projection where id = ${cluster_id}`));
  const { id: deployment_id } = await tasks.create({ helm_chart_id: chart.id, cluster_id }, siteAdmin);
  await tasks.runAll();
  const { items } = await tasks.call(siteAdmin, types.list, { query: { env_id: env.id, key: 'note' } });
  const body = { type_id: items[0]?.id ?? '', deployment_id, name: 'last', props: { size: 1 } };
  const { id } = await tasks.call(siteAdmin, create, { body });

  const usage = await tasks.auth.call(deploymentUsage.operations.of_env, { body: { env_id: env.id } });
  expect(usage.deployment_resources).toEqual({ count: 1, names: ['note/last'] });
  await tasks.publish.env(env, 'deleted');

  await until(() =>
    read(id).then(
      () => false,
      () => true,
    ),
  );
  expect((await tasks.call(siteAdmin, types.list, { query: { env_id: env.id } })).items).toEqual([]);
});

test('a resource whose spec later marks a prop as sensitive hides it and stores it sealed', async () => {
  const key = `k${randomUUID().slice(0, 8)}`;
  const spec = (sensitive: boolean) => ({
    [key]: {
      ...databaseTypes.database,
      values_ui: {
        inputs: databaseForm.inputs.map((input) => (input.id === 'owner' ? { ...input, sensitive } : input)),
      },
    },
  });
  const [before, after] = [managingChart(spec(false)), managingChart(spec(true))];
  for (const each of [before, after, sampleChart()]) await tasks.publish.chart(each);
  await until(() => tasks.database.db.exists(statement`select from helm_chart_projection where id = ${after.id}`));
  const other = await tasks.installed({ helm_chart_id: before.id });
  const { id } = await ready({ key, deployment_id: other.id, props: { size: 1, owner: 'ada' } });
  expect((await read(id)).props).toEqual({ size: 1, owner: 'ada' });

  await tasks.call(owner, deployments.operations.update, { id: other.id, body: { helm_chart_id: after.id } });
  // While its deployment is locked, a task cannot be claimed; so the claim is repeated.
  const shown = async () => {
    await tasks.runAll();
    return (await read(id)).props;
  };
  await expect.poll(shown).toEqual({ size: 1 });
  const stored = () =>
    tasks.database.db.oneFirst(sql.type(z.object({ props: z.unknown() }))`
      select props from deployment_resources where id = ${id}
    `);
  await until(async () => !JSON.stringify(await stored()).includes('ada'));
  await change(id, { props: { size: 2 } });
  expect(JSON.parse((await claimed(id)).call.body ?? '').props).toEqual({ size: 2, owner: 'ada' });
  expect(await stored()).toEqual({ size: 2 });
});

test('a chart in another env hides no prop of a global type here, and names are free in each env', async () => {
  const key = `k${randomUUID().slice(0, 8)}`;
  const spec = (sensitive: boolean) => ({
    [key]: {
      ...databaseTypes.database,
      global: true,
      values_ui: {
        inputs: databaseForm.inputs.map((input) => (input.id === 'size' ? { ...input, sensitive } : input)),
      },
    },
  });
  const [here, there] = [managingChart(spec(false)), managingChart(spec(true))];
  for (const each of [here, there]) await tasks.publish.chart(each);
  await until(() => tasks.database.db.exists(statement`select from helm_chart_projection where id = ${there.id}`));
  const own = await tasks.installed({ helm_chart_id: here.id });
  const { id } = await ready({ key, deployment_id: own.id, name: 'big', props: { size: 9 } });

  const other = await tasks.create({ helm_chart_id: there.id, cluster_id: tasks.otherClusterId }, siteAdmin);
  await tasks.runAll();
  const elsewhere = await make({ key, deployment_id: other.id, name: 'big', props: { size: 4 } }, siteAdmin);

  expect((await read(id)).props).toEqual({ size: 9 });
  expect((await read(elsewhere.id)).props).toEqual({});
  const stored = await tasks.database.db.many(sql.type(
    z.object({ id: z.string(), sealed: z.boolean(), exposed: z.boolean() }),
  )`
    select id, sealed_props is not null as sealed, is_exposed as exposed from deployment_resources where name = 'big'
  `);
  expect(new Map(stored.map((row) => [row.id, [row.sealed, row.exposed]]))).toEqual(
    new Map([
      [id, [false, false]],
      [elsewhere.id, [true, false]],
    ]),
  );
  await expect(make({ key, deployment_id: own.id, name: 'big' })).rejects.toEqual(refusal('conflict'));
});

test('calls contain the id of a secret that a prop selects, and changing or deleting the secret causes no call', async () => {
  const key = `k${randomUUID().slice(0, 8)}`;
  const inputs = [
    { id: 'login', type: 'CollectionSelect', label: 'Login', collection: 'secrets' },
    { id: 'size', type: 'number', label: 'Size' },
  ];
  const types = managingChart({ [key]: { ...databaseTypes.database, values_ui: { inputs } } });
  await tasks.publish.chart(types);
  await until(() => tasks.database.db.exists(statement`select from helm_chart_projection where id = ${types.id}`));
  const { id: deployment_id } = await tasks.installed({ helm_chart_id: types.id });
  const body = { env_id: envId, collection: 'logins', name: key, contents: 'swordfish' };
  const login = (await tasks.call(siteAdmin, secrets.operations.create, { body })).id;
  const { id } = await make({ key, deployment_id, props: { login } });
  const call = await claimed(id);
  expect(JSON.parse(call.call.body ?? '').props).toEqual({ login });
  expect(JSON.stringify(call)).not.toContain('swordfish');
  await report(call);

  await tasks.call(siteAdmin, secrets.operations.update, { id: login, body: { contents: 'hammerhead' } });
  await tasks.call(siteAdmin, secrets.operations.delete, { id: login });

  expect(await claim()).toEqual([]);
  expect(await read(id)).toMatchObject({ sync_status: 'Ready', props: { login } });
  await expect(change(id, { props: { size: 2 } })).rejects.toEqual(refusal('unprocessable', '', 'body.props.login'));
  expect(await change(id, { props: { login: null } })).toMatchObject({ props: {} });
});

test('sensitive props are sealed under the new key by a rotation and can still be opened', async () => {
  const { id } = await ready({ props: { size: 1, password: 'swordfish' } });
  const { db } = tasks.database;
  const bytes = (key: string) => Buffer.from(key, 'base64');
  const next = randomBytes(32);
  const log = { info: () => undefined, error: () => undefined };
  const { signal } = new AbortController();
  const rotate = (secretKeys: SecretKeys) =>
    resealSecrets({ store: readingStore(db), inTransaction: inTransactionOf(db), secretKeys, log, signal });
  const [before] = await readingStore(db).resources.records(envId, [id]);

  const result = await rotate(createSecretKeys(next, [bytes(testKey)]));

  expect(result).toMatchObject({ broken: [], otherKeys: [] });
  const [after] = await readingStore(db).resources.records(envId, [id]);
  if (!before || !after) throw new Error('the resource is gone');
  expect(after.key_id).not.toBe(before.key_id);
  expect(openProps(createSecretKeys(next, []), after)).toEqual({ password: 'swordfish' });
  await rotate(createSecretKeys(bytes(testKey), [next]));
});
