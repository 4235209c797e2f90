import { deployments } from '@berth/contracts/resources/deployments/deployments';
import { answeredUnlikeContract } from '@berth/testing/contracts/refusals';
import { sampleIdentities } from '@berth/testing/test-identities';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { refusal } from '../support/refusal.ts';
import { sampleChart } from '../support/sample-charts.ts';
import {
  envId,
  kindId,
  otherEnvId,
  otherKindId,
  startTasksInTest,
  type TasksInTest,
  until,
} from '../support/tasks-in-test.ts';

let tasks: TasksInTest;
beforeAll(async () => {
  tasks = await startTasksInTest();
});
afterAll(() => tasks?.[Symbol.asyncDispose]());

const { siteAdmin, envAdmin, envUser, owner, maintainer, outsider, bot, deployment } = sampleIdentities;
const { list, get, create, update, delete: remove } = deployments.operations;

const publishedChart = async (chart: ReturnType<typeof sampleChart>) => {
  await tasks.publish.chart(chart);
  await until(() => tasks.database.db.exists(statement`select from helm_chart_projection where id = ${chart.id}`));
};

describe('creating', () => {
  test('writes the row with its namespace and an Install task at once', async () => {
    const created = await tasks.create({ name: 'blue', values_override: { a: 1 } });

    expect(created).toMatchObject({
      name: 'blue',
      namespace: 'web-blue',
      env_id: envId,
      cluster_id: tasks.clusterId,
      status: 'Unknown',
      enabled: true,
      reason: 'Task: it is to be installed',
      health: null,
      revision_id: null,
      values_override: { a: 1 },
    });
    const [install] = await tasks.tasksOf(created.id);
    expect(install).toMatchObject({
      status: 'Pending',
      acting_user_id: owner.id,
      acting_deployment_id: null,
      cluster_id: tasks.clusterId,
      operation: {
        Install: { helm_chart_id: tasks.chartId, config_inputs: { replicas: 1 }, values_override: { a: 1 } },
      },
    });
    expect(await tasks.call(owner, get, { id: created.id })).toEqual(created);
  });

  test.for([
    ['an env user', envUser],
    ['a maintainer', maintainer],
    ['a bot', bot],
    ['a deployment', deployment],
  ] as const)('is refused to %s', async ([, identity]) => {
    await expect(tasks.create({}, identity)).rejects.toEqual(refusal('forbidden', 'owner'));
  });

  test.for([
    ['an env admin', envAdmin],
    ['a site admin', siteAdmin],
  ] as const)('is allowed to %s', async ([, identity]) => {
    await expect(tasks.create({}, identity)).resolves.toMatchObject({ status: 'Unknown' });
  });

  test('gives the same answer for a missing cluster and one that the caller cannot see', async () => {
    for (const cluster_id of [crypto.randomUUID(), tasks.otherClusterId]) {
      await expect(tasks.create({ cluster_id })).rejects.toEqual(
        refusal('unprocessable', 'no such cluster', 'body.cluster_id'),
      );
    }
  });

  test('refuses names that cannot be part of a namespace', async () => {
    await expect(tasks.create({ name: 'No_Label' })).rejects.toEqual(refusal('invalid', 'DNS label', 'body.name'));
    await expect(tasks.create({ name: 'x'.repeat(60) })).rejects.toEqual(refusal('unprocessable', '53', 'body.name'));
    await expect(tasks.create({ name: '' })).rejects.toEqual(refusal('unprocessable', 'empty', 'body.name'));
  });

  test('refuses a reserved namespace', async () => {
    await tasks.publish.kind({ id: otherKindId, created_at: '2026-01-01T00:00:00.000Z', name: 'Kube' });
    await tasks.publish.registry('77777777-7777-4777-8777-777777777777', otherKindId);
    const chart = await tasks.publish.chart(sampleChart({ helm_registry_id: '77777777-7777-4777-8777-777777777777' }));

    const made = tasks.create({ name: 'system', kind_id: otherKindId, helm_chart_id: chart.id }, siteAdmin);

    await expect(made).rejects.toEqual(refusal('unprocessable', 'kube-system, which is reserved', 'body.name'));
  });

  test("accepts names up to Helm's limits for releases, even without a name and after the kind was renamed", async () => {
    const kind = { id: crypto.randomUUID(), created_at: '2026-01-01T00:00:00.000Z', name: 'K'.repeat(53) };
    const registry = crypto.randomUUID();
    await tasks.publish.kind(kind);
    await tasks.publish.registry(registry, kind.id);
    const chart = await tasks.publish.chart(
      sampleChart({ helm_registry_id: registry, features: { cardinality: 'OnePerCluster' } }),
    );
    const fields = { name: '', kind_id: kind.id, helm_chart_id: chart.id };
    const tooLong = refusal('unprocessable', 'longer than 53 characters', 'body.name');
    const { id: web } = await tasks.create({ name: 'x'.repeat(49) });
    await expect(tasks.create({ name: 'x'.repeat(50) })).rejects.toEqual(tooLong);
    await expect(tasks.call(owner, update, { id: web, body: { name: 'x'.repeat(50) } })).rejects.toEqual(tooLong);

    const { id } = await tasks.create(fields, siteAdmin);
    await tasks.runAll();
    await tasks.publish.kind({ ...kind, name: 'K'.repeat(54) });
    const { id: elsewhere } = await tasks.publish.cluster({ env_id: envId, name: 'elsewhere' });
    const renamed = sql.type(
      z.object({}),
    )`select from deployment_kind_projection where id = ${kind.id} and length(name) = 54`;
    await until(() => tasks.database.db.exists(renamed));

    const move = tasks.call(siteAdmin, update, { id, body: { cluster_id: elsewhere } });
    await expect(move).rejects.toEqual(tooLong);
    await tasks.call(siteAdmin, update, { id, body: { config: { replicas: 2 } } });
    expect(await tasks.runAll()).toMatchObject([{ action: 'deploy', namespace: 'k'.repeat(53) }]);
  });

  test("a namespace from before Helm's limit was checked says what to do, can be removed, and ends with a rename", async () => {
    const { id, name } = await tasks.create();
    const namespace = `web-${name}${'x'.repeat(46)}`;
    await tasks.database.db.query(statement`
      with t as (
        update deployment_tasks set run = run || jsonb_build_object('namespace', ${namespace}::text)
        where deployment_id = ${id}
      )
      update deployments set name = ${namespace.slice('web-'.length)}, namespace = ${namespace} where id = ${id}
    `);
    const words = `The namespace ${namespace} has 59 characters and Helm takes at most 53: rename the deployment`;

    expect(await tasks.claim()).toBeNull();
    expect(await tasks.deployment(id)).toMatchObject({ status: 'Error', reason: `Install failed: ${words}` });
    const change = tasks.call(owner, update, { id, body: { config: { replicas: 2 } } });
    await expect(change).rejects.toEqual(refusal('conflict', words));
    await tasks.call(owner, update, { id, body: { description_md: 'to be renamed' } });
    await tasks.call(owner, update, { id, body: { enabled: false } });
    expect(await tasks.runAll()).toMatchObject([{ action: 'uninstall', namespace }]);
    const enabling = tasks.call(owner, update, { id, body: { enabled: true } });
    await expect(enabling).rejects.toEqual(refusal('conflict', words));
    await tasks.call(owner, update, { id, body: { enabled: true, name } });
    expect(await tasks.runAll()).toMatchObject([{ action: 'deploy', namespace: `web-${name}` }]);
  });

  test('refuses charts that cannot be deployed as this kind', async () => {
    const broken = await tasks.publish.chart(sampleChart({ error: 'berth/features.yaml: spec is required' }));
    const gone = await tasks.publish.chart(sampleChart({ available: false }));
    const path = 'body.helm_chart_id';

    const asOther = tasks.create({ kind_id: otherKindId }, siteAdmin);

    await expect(asOther).rejects.toEqual(refusal('unprocessable', 'another kind', path));
    await expect(tasks.create({ helm_chart_id: broken.id })).rejects.toEqual(
      refusal('unprocessable', 'features.yaml: spec is required', path),
    );
    await expect(tasks.create({ helm_chart_id: gone.id })).rejects.toEqual(
      refusal('unprocessable', 'no longer available', path),
    );
    await expect(tasks.create({ helm_chart_id: crypto.randomUUID() })).rejects.toEqual(
      refusal('unprocessable', 'no such chart', path),
    );
    await expect(tasks.create({ kind_id: crypto.randomUUID() })).rejects.toEqual(
      refusal('unprocessable', 'no such deployment kind', 'body.kind_id'),
    );
  });

  test('refuses ignored clusters and clusters without an env', async () => {
    const homeless = await tasks.publish.cluster({});
    const ignored = await tasks.publish.cluster({ env_id: envId, ignore: true });

    await expect(tasks.create({ cluster_id: homeless.id }, siteAdmin)).rejects.toEqual(
      refusal('unprocessable', 'no env', 'body.cluster_id'),
    );
    await expect(tasks.create({ cluster_id: ignored.id })).rejects.toEqual(
      refusal('unprocessable', 'ignored', 'body.cluster_id'),
    );
  });

  test('accepts rows that another service created a moment ago', async () => {
    const cluster = await tasks.publish.cluster({});
    const [late] = await Promise.all([
      tasks.create({ cluster_id: cluster.id }, siteAdmin),
      tasks.publish.cluster({ ...cluster, env_id: envId }),
    ]);

    expect(late).toMatchObject({ cluster_id: cluster.id, env_id: envId });
  });

  test.for([
    ['a required input is missing', {}, 'is required', 'body.config.replicas'],
    ['a value has the wrong type', { replicas: 'two' }, '', 'body.config.replicas'],
    ['a value is out of range', { replicas: 10 }, '', 'body.config.replicas'],
    ['a value is not an option', { replicas: 1, tier: 'huge' }, '', 'body.config.tier'],
    ['an input does not exist', { replicas: 1, color: 'red' }, 'not an input', 'body.config.color'],
    [
      'a deployment does not exist',
      { replicas: 1, peer: '99999999-9999-4999-8999-999999999999' },
      'no such deployment',
      'body.config.peer',
    ],
    [
      'a secret does not exist',
      { replicas: 1, token: '99999999-9999-4999-8999-999999999999' },
      'no such secret',
      'body.config.token',
    ],
  ] as const)('refuses a config if %s', async ([, config, words, path]) => {
    await expect(tasks.create({ config: { ...config } })).rejects.toEqual(refusal('unprocessable', words, path));
  });

  test('refuses unknown fields', async () => {
    const body = { name: 'x', kind_id: kindId, cluster_id: tasks.clusterId, helm_chart_id: tasks.chartId, config: {} };

    const made = tasks.call(owner, create, { body: Object.assign(body, { values_override: null, color: 'red' }) });

    await expect(made).rejects.toEqual(refusal('invalid', '', 'body.color'));
  });

  test('refuses a second deployment of the same name', async () => {
    await tasks.create({ name: 'twice' });

    await expect(tasks.create({ name: 'twice' })).rejects.toEqual(refusal('conflict', 'web-twice'));
  });

  test('accepts one of ten simultaneous creations with the same name', async () => {
    const made = await Promise.allSettled(Array.from({ length: 10 }, () => tasks.create({ name: 'race' })));

    const refused = made.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused).toEqual(Array.from({ length: 9 }, () => refusal('conflict')));
  });

  test('allows one per cluster if the chart says so', async () => {
    const single = await tasks.publish.chart(sampleChart({ features: { cardinality: 'OnePerCluster' } }));
    const { id: cluster_id } = await tasks.publish.cluster({ env_id: envId, name: 'single' });
    const shared = await tasks.publish.cluster({ env_id: envId, name: 'shared' });
    const wanted = { helm_chart_id: single.id, cluster_id, name: '' };

    const first = await tasks.create(wanted);

    expect(first).toMatchObject({ name: '', namespace: 'web' });
    await expect(tasks.create(wanted)).rejects.toEqual(refusal('conflict', 'the chart allows one'));
    await expect(tasks.create({ ...wanted, name: 'named' })).rejects.toEqual(
      refusal('unprocessable', 'must be empty', 'body.name'),
    );
    await tasks.create({ cluster_id: shared.id, name: 'named' });
    await expect(tasks.create({ ...wanted, cluster_id: shared.id })).rejects.toEqual(
      refusal('conflict', 'the chart allows one'),
    );
    await expect(tasks.call(owner, update, { id: first.id, body: { cluster_id: shared.id } })).rejects.toEqual(
      refusal('conflict', 'the chart allows one'),
    );
  });

  test('refuses a change to a chart of the other cardinality, unless the name is changed with it', async () => {
    const single = await tasks.publish.chart(sampleChart({ features: { cardinality: 'OnePerCluster' } }));
    const { id: cluster_id } = await tasks.publish.cluster({ env_id: envId, name: 'other-cardinality' });
    const change = (id: string, body: object) => tasks.call(owner, update, { id, body });
    const { id } = await tasks.create({ cluster_id, name: 'one-of-many' });

    await expect(change(id, { helm_chart_id: single.id })).rejects.toEqual(
      refusal('unprocessable', 'one deployment per cluster, without a name', 'body.helm_chart_id'),
    );
    await expect(change(id, { helm_chart_id: single.id, name: '' })).resolves.toMatchObject({ namespace: 'web' });
    await tasks.runAll();
    await expect(change(id, { helm_chart_id: tasks.chartId })).rejects.toEqual(
      refusal('unprocessable', 'must not be empty with this chart', 'body.name'),
    );
    await expect(change(id, { helm_chart_id: tasks.chartId, name: 'many' })).resolves.toMatchObject({
      namespace: 'web-many',
    });
  });

  test('refuses a deployment of another env, or one that is being deleted, as the value of an input', async () => {
    const elsewhere = await tasks.create({ cluster_id: tasks.otherClusterId }, siteAdmin);
    const leaving = await tasks.create();
    await tasks.runAll();
    await tasks.call(owner, remove, { id: leaving.id });

    for (const { id: peer } of [elsewhere, leaving]) {
      await expect(tasks.create({ config: { replicas: 1, peer } }, siteAdmin)).rejects.toEqual(
        refusal('unprocessable', 'no such deployment in the env', 'body.config.peer'),
      );
    }
    await tasks.runAll();
  });

  test('refuses a hostname that another deployment of the cluster has, both here and in a change of chart or name', async () => {
    const byKind = sampleChart({ features: { ingress: { enabled: true } } });
    const byName = sampleChart({ features: { ingress: { enabled: true, hostname_format: 'Name' } } });
    const none = sampleChart({ features: { ingress: { enabled: false, hostname_format: 'Name' } } });
    for (const chart of [byKind, byName, none]) await publishedChart(chart);
    const taken = refusal('conflict', 'Another deployment of the cluster has the hostname');
    const holder = await tasks.create({ name: 'shop', helm_chart_id: byKind.id });

    await expect(tasks.create({ name: 'web-shop', helm_chart_id: byName.id })).rejects.toEqual(taken);
    const other = await tasks.create({ name: 'web-shop', helm_chart_id: none.id });
    const changing = (body: object) => tasks.call(owner, update, { id: other.id, body });
    await expect(changing({ helm_chart_id: byName.id })).rejects.toEqual(taken);
    await changing({ name: 'other-shop' });
    await changing({ helm_chart_id: byName.id });
    await tasks.runAll();
    await expect(changing({ name: 'web-shop' })).rejects.toEqual(taken);

    // Simulates that both got it before the check existed.
    await tasks.database.db.query(statement`
      update deployments set name = 'web-shop', namespace = 'web-web-shop', ingress_name = null where id = ${other.id}
    `);
    expect(await changing({ description_md: 'still here' })).toMatchObject({ name: 'web-shop' });
    expect(await changing({ enabled: false })).toMatchObject({ enabled: false });
    await tasks.call(owner, remove, { id: holder.id });
    await tasks.runAll();
    await tasks.create({ name: 'shop', helm_chart_id: byKind.id });
  });

  test("refuses a config with which the chart's rules take too many steps", async () => {
    const showIf = { in: [{ var: 'needle' }, { var: 'hay' }] };
    const inputs = ['needle', 'hay', 'shown'].map((id) => ({ id, type: 'text', label: id, showIf }));
    const searching = await tasks.publish.chart(
      sampleChart({ values_ui: { inputs, outputs: { values: [], secrets: {} } } }),
    );
    const config = { needle: `b${'a'.repeat(150_000)}`, hay: 'a'.repeat(300_000) };

    await expect(tasks.create({ helm_chart_id: searching.id, config })).rejects.toEqual(
      refusal('unprocessable', 'The rules and outputs of the chart take more than 25000 steps with this config'),
    );
  });

  test('uses the filters of the visible input if several have the same id', async () => {
    const peer = { id: 'peer', type: 'CollectionSelect', label: 'Peer', collection: 'deployments' };
    const inputs = [
      { id: 'running', type: 'Checkbox', label: 'Running' },
      { ...peer, showIf: { var: 'running' }, filters: [{ field: 'enabled', value: true }] },
      { ...peer, showIf: { '!': { var: 'running' } }, filters: [{ field: 'enabled', value: false }] },
    ];
    const pointing = await tasks.publish.chart(
      sampleChart({ values_ui: { inputs, outputs: { values: [], secrets: {} } } }),
    );
    const { id } = await tasks.create();
    const wanted = (running: boolean) => ({ helm_chart_id: pointing.id, config: { running, peer: id } });

    await expect(tasks.create(wanted(true))).resolves.toMatchObject({ config: { peer: id } });
    await expect(tasks.create(wanted(false))).rejects.toEqual(
      refusal('unprocessable', 'whose enabled is false', 'body.config.peer'),
    );
  });

  test('refuses a config that points to more items than a transaction should lock', async () => {
    const peers = {
      id: 'peers',
      type: 'array',
      itemType: 'CollectionSelect',
      label: 'Peers',
      collection: 'deployments',
    };
    const pointing = await tasks.publish.chart(
      sampleChart({ values_ui: { inputs: [peers], outputs: { values: [], secrets: {} } } }),
    );
    const config = { peers: Array.from({ length: 1_001 }, () => kindId) };

    await expect(tasks.create({ helm_chart_id: pointing.id, config })).rejects.toEqual(
      refusal('unprocessable', 'points to 1001 items', 'body.config'),
    );
  });

  test('accepts any config if the chart has no form', async () => {
    const plain = await tasks.publish.chart(sampleChart({ values_ui: null }));

    await expect(tasks.create({ helm_chart_id: plain.id, config: { any: [1] } })).resolves.toMatchObject({
      config: { any: [1] },
    });
  });
});

describe('reading', () => {
  test('shows an env only to callers who may see it', async () => {
    const here = await tasks.create();
    const there = await tasks.create({ cluster_id: tasks.otherClusterId }, siteAdmin);
    const ids = async (identity: Parameters<TasksInTest['call']>[0]) =>
      (await tasks.call(identity, list, { query: { per_page: 100 } })).items.map(({ id }) => id);

    for (const identity of [envUser, deployment]) {
      expect(await ids(identity)).toContain(here.id);
      expect(await ids(identity)).not.toContain(there.id);
      await expect(tasks.call(identity, get, { id: there.id })).rejects.toEqual(refusal('not_found'));
    }
    for (const identity of [siteAdmin, bot]) {
      expect(await ids(identity)).toEqual(expect.arrayContaining([here.id, there.id]));
    }
    expect(await ids(outsider)).toEqual([]);
    await expect(tasks.call(outsider, get, { id: here.id })).rejects.toEqual(refusal('not_found'));
    await expect(tasks.call(owner, update, { id: there.id, body: {} })).rejects.toEqual(refusal('not_found'));
    await expect(tasks.call(owner, remove, { id: there.id })).rejects.toEqual(refusal('not_found'));
    const hidden = await tasks.call(owner, list, { query: { env_id: otherEnvId } });
    expect(hidden).toMatchObject({ items: [], num_total: 0 });
  });

  test('filters combine', async () => {
    const { id } = await tasks.create({ name: 'needle-in-hay' });
    const found = async (query: NonNullable<Parameters<typeof tasks.call<typeof list>>[2]['query']>) =>
      (await tasks.call(owner, list, { query })).items.map((item) => item.id);

    expect(await found({ name: 'LE-IN' })).toEqual([id]);
    expect(await found({ name: '%' })).toEqual([]);
    expect(await found({ name: 'needle', status: 'Unknown', enabled: true, kind_id: kindId })).toEqual([id]);
    expect(await found({ name: 'needle', status: 'Running' })).toEqual([]);
    expect(await found({ name: 'needle', helm_chart_id: crypto.randomUUID() })).toEqual([]);
  });
});

test('every operation of tasks refuses as its contract declares', async () => {
  const wrong = await answeredUnlikeContract('tasks', (caller, operation, request) =>
    caller === 'nobody'
      ? tasks.gateway.call(operation, request)
      : tasks.call(sampleIdentities[caller], operation, request),
  );

  expect(wrong).toEqual([]);
});
