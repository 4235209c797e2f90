import { type GatewayProcess, startGatewayProcess } from '@berth/devstack/testing/gateway-process';
import { limits } from '@berth/bus/protocol/limits';
import { maxInputBytes } from '@berth/contracts/resources/deployments/deployment-inputs';
import { type DeploymentTask, deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { type Deployment, deployments } from '@berth/contracts/resources/deployments/deployments';
import { jsonBytes } from '@berth/contracts/fields/json-bytes';
import { Secret, secrets } from '@berth/contracts/resources/deployments/secrets';
import type { Database, Queries, Query } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { found } from '@berth/contracts/errors';
import { largestBody } from '@berth/testing/contracts/largest-body';
import { sampleIdentities } from '@berth/testing/test-identities';
import { ignoredFilters } from '@berth/testing/contracts/ignored-filters';
import {
  type CallOperation,
  extremeTimes,
  listedResources,
  readEveryWay,
  wrongOrders,
  walkList,
} from '@berth/testing/contracts/walk-list';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { inTransactionOf, readingStore } from '../src/store/store.ts';
import { maxOpenBytes } from '../src/queue/queue-tasks.ts';
import { refusal } from './support/refusal.ts';
import { sampleChart } from './support/sample-charts.ts';
import { envId, startTasksInTest, type TasksInTest, until } from './support/tasks-in-test.ts';

const { owner, siteAdmin } = sampleIdentities;
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

const servers = new AsyncDisposableStack();
let tasks: TasksInTest;
let gateway: GatewayProcess;
/** A chart without a form, which accepts any inputs. */
let chartId: string;
beforeAll(async () => {
  tasks = servers.use(await startTasksInTest());
  gateway = servers.use(await startGatewayProcess(tasks.nats));
  ({ id: chartId } = await tasks.publish.chart(sampleChart({ values_ui: null })));
  await until(() => readingStore(tasks.database.db).projected.chart(chartId));
});
afterAll(() => servers.disposeAsync());

/** Large rows are slow on a busy machine. */
const call: TasksInTest['call'] = (as, operation, request) =>
  tasks.call(as, operation, request, { deadlineMs: 20_000 });

/** Reads as a site admin over HTTP. */
function overHttp(filter: Record<string, string>): CallOperation {
  const http = gateway.as({ token: 'any' });
  const isQuery = (request: object): request is { query: object } => 'query' in request;
  return (operation, request) =>
    http(operation, isQuery(request) ? { query: { ...request.query, ...filter } } : request);
}

/** The largest object of texts of this letter that fits into a request. */
const largest = (letter: string) => {
  const room = maxInputBytes - jsonBytes({ [letter]: '' });
  return { [letter]: letter.repeat(Math.floor(room / (jsonBytes(letter) - 2))) };
};

const listed = (per_page: number, query: { deployment_id?: string } = {}) => ({
  tasks: (after?: string) =>
    call(siteAdmin, deploymentTasks.operations.list, {
      query: { per_page, ...query, ...(after !== undefined && { after }) },
    }),
  deployments: (after?: string) =>
    call(siteAdmin, deployments.operations.list, { query: { per_page, ...(after !== undefined && { after }) } }),
});

/** The service's database, and the number of bytes read from it. */
function counting(db: Database): { db: Database; bytes: () => number } {
  let bytes = 0;
  const counted = <Q extends Queries>(queries: Q): Q => {
    const send =
      <Result>(run: (query: Query<never>) => Promise<Result>) =>
      async (query: Query<never>) => {
        const result = await run(query);
        bytes += bytesOf(result ?? null);
        return result;
      };
    return {
      ...queries,
      any: send(queries.any),
      one: send(queries.one),
      maybeOne: send(queries.maybeOne),
      query: send(queries.query),
    };
  };
  const transaction: Database['transaction'] = (work) => db.transaction((tx) => work(counted(tx)));
  return { db: { ...counted(db), transaction }, bytes: () => bytes };
}

describe('the largest possible rows', () => {
  let deployment: Deployment;
  let latest: DeploymentTask;

  beforeAll(async () => {
    const created = await tasks.create({ helm_chart_id: chartId, config: largest('a') });
    const change = (body: object) => call(owner, deployments.operations.update, { id: created.id, body });
    await change({ values_override: largest('"') });
    await change({ config: largest('b') });
    // A control character has one byte here and six in JSON.
    deployment = await change({ description_md: '\u0001'.repeat(64 * 1024) });
    [latest] = (await listed(1).tasks('')).items as [DeploymentTask];
  });

  test('can be read singly and in lists of any size (deployments, tasks)', async () => {
    expect(bytesOf(deployment)).toBeGreaterThan(2 * maxInputBytes);
    expect(await tasks.deployment(deployment.id)).toEqual(deployment);

    const { operation } = latest;
    expect(operation).toMatchObject({ Upgrade: { config_inputs: largest('b'), values_override: largest('"') } });
    // Its delta contains the inputs before and after.
    expect(bytesOf(operation)).toBeGreaterThan(4 * maxInputBytes - 4096);
    expect(await tasks.task(latest.id)).toMatchObject({ operation });

    for (const size of [1, 100]) {
      const { tasks: ofTasks, deployments: ofDeployments } = listed(size);
      expect(await walkList(ofTasks)).toContain(latest.id);
      expect(await walkList(ofDeployments)).toEqual([deployment.id]);
    }
    expect((await listed(1).tasks()).items).toMatchObject([{ id: latest.id }]);
    await expect(listed(100).tasks()).rejects.toMatchObject({
      code: 'too_large',
      errors: [{ path: 'query.per_page' }],
    });
  });

  test('can be read over HTTP, by id and in every list (deployments, tasks, secrets)', async () => {
    const { create } = secrets.operations;
    const body = largestBody(create, { given: { env_id: envId, contents: 'any' } });
    const secret = Secret.parse(await overHttp({})(create, { body }));
    const rows = [deployment, latest, secret];

    for (const [n, name] of ['deployments', 'deployment_tasks', 'secrets'].entries()) {
      const { walked, read, sorted } = await readEveryWay(name, overHttp({}), 1);
      const { id } = found(rows[n], 'row');
      expect(read.map((row) => row.id)).toContain(id);
      for (const ids of [walked.map((row) => row.id), ...Object.values(sorted)]) expect(ids).toContain(id);
    }
  });

  test('fit into the messages that publish them', async () => {
    const largestRow = sql.type(
      z.object({ bytes: z.number() }),
    )`select max(octet_length(row::text)) as bytes from outbox`;

    expect((await tasks.database.db.one(largestRow)).bytes).toBeLessThan(limits.responseBytes - 4096);
  });

  test('can be claimed, retried and canceled', async () => {
    const [first, ...more] = await tasks.runAll();
    expect(first).toMatchObject({ values: { config: largest('a') } });
    expect(more.at(-1)).toMatchObject({ task_id: latest.id, values: { config: largest('b') } });

    const again = await call(owner, deploymentTasks.operations.create, {
      body: {
        deployment_id: deployment.id,
        operation: {
          Upgrade: { helm_chart_id: chartId, config_inputs: largest('c'), values_override: largest('"') },
        },
      },
    });
    const canceled = await call(owner, deploymentTasks.operations.cancel, { id: again.id, body: {} });
    expect(canceled).toMatchObject({ status: 'Canceled', operation: again.operation });
    const retried = await call(owner, deploymentTasks.operations.retry, { id: again.id });
    expect(retried).toMatchObject({ status: 'Pending', operation: again.operation });
    expect(await tasks.runAll()).toHaveLength(1);
  });

  test.for([
    ['config', { config: { a: 'x'.repeat(maxInputBytes) } }],
    ['values_override', { values_override: { a: '"'.repeat(maxInputBytes / 2) } }],
    // They have five bytes each in the request and 21 in the answer.
    ['config', { config: { a: Array.from({ length: 50_000 }, () => 1e20) } }],
    // Postgres prints each of them with 309 digits.
    ['values_override', { values_override: { a: Array.from({ length: 2_000 }, () => 1e308) } }],
  ] as const)('are limited in bytes: a larger %s is refused with the rule', async ([field, body]) => {
    await expect(call(owner, deployments.operations.update, { id: deployment.id, body: { ...body } })).rejects.toEqual(
      refusal('invalid', `body.${field}: must take at most ${maxInputBytes} bytes as JSON`),
    );
  });

  test('are read from the database by a list of deployments only until an answer is full', async () => {
    const copies = await tasks.database.db.any(sql.type(z.object({ id: z.string() }))`
      insert into deployments (name, kind_id, env_id, cluster_id, namespace, helm_chart_id, config, values_override)
      select 'copy-' || n, kind_id, env_id, cluster_id, 'copy-' || n, helm_chart_id, config, values_override
      from deployments, generate_series(1, 5) n where id = ${deployment.id}
      returning id
    `);
    const { db, bytes } = counting(tasks.database.db);

    const page = await readingStore(db).deployments.list({ after: '', per_page: 100 }, 'all');

    expect(page.items.length).toBeGreaterThan(1);
    expect(bytes()).toBeLessThan(limits.responseBytes);
    for (const { id } of copies) await tasks.database.db.query(statement`delete from deployments where id = ${id}`);
  });

  test('a change does not store a delta if its paths would exceed all other content', async () => {
    const inputs = (value: number) => ({
      [`k${'x'.repeat(200_000)}`]: Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`k${n}`, value])),
    });
    const before = await tasks.create({ helm_chart_id: chartId, config: inputs(1) });
    await call(owner, deployments.operations.update, { id: before.id, body: { config: inputs(2) } });

    const [task] = (await listed(1, { deployment_id: before.id }).tasks('')).items;
    expect(task).toMatchObject({ operation: { Upgrade: { config_inputs: inputs(2), config_delta: null } } });
    await tasks.runAll();
  });
});

describe('98 scheduled upgrades of the largest inputs', () => {
  let scheduled: DeploymentTask;
  let due: string;

  beforeAll(async () => {
    const { id } = await tasks.installed({ helm_chart_id: chartId });
    const send = (letter: string) =>
      call(owner, deploymentTasks.operations.create, {
        body: {
          deployment_id: id,
          operation: {
            Upgrade: { helm_chart_id: chartId, config_inputs: largest(letter), values_override: null },
          },
          execute_at: new Date(Date.now() + 86_400_000).toISOString(),
        },
      });
    scheduled = await send('s');
    // The other 97 are inserted directly, because requests would take long.
    for (let n = 1; n < 98; n += 1) {
      await tasks.database.db.query(statement`
        insert into deployment_tasks (
          created_at, execute_at, due_at, cluster_id, env_id, deployment_id, operation, change
        )
        select created_at, execute_at + ${n} * interval '1 minute', due_at + ${n} * interval '1 minute', cluster_id,
          env_id, deployment_id, operation, change
        from deployment_tasks where id = ${scheduled.id}
      `);
    }
    ({ id: due } = await call(owner, deploymentTasks.operations.create, {
      body: { deployment_id: (await tasks.create({ helm_chart_id: chartId })).id, operation: { Uninstall: {} } },
    }));
  });

  test('are scanned without reading their inputs', async () => {
    const { db, bytes } = counting(tasks.database.db);
    const { deployment_id } = scheduled;

    await inTransactionOf(db)(async (store) => {
      expect(await store.tasks.open(deployment_id)).toHaveLength(98);
      expect(await store.tasks.find(scheduled.id, 'all')).toMatchObject({ deployment_id });
      const deployment = found(await store.deployments.lock(deployment_id), 'deployment');
      expect(await store.queueChanges.movePending(deployment)).toHaveLength(98);
    });

    expect(bytes()).toBeLessThan(128 * 1024);
  });

  test('are read from the database by a list only until an answer is full', async () => {
    const { db, bytes } = counting(tasks.database.db);

    const page = await readingStore(db).tasks.list({ show_future: true, after: '', per_page: 100 }, 'all');

    expect(page.items.length).toBeGreaterThan(1);
    expect(bytes()).toBeLessThan(limits.responseBytes);
  });

  test('do not slow claims and lists', async () => {
    const claimed = await tasks.runAll();

    expect(claimed.map(({ task_id }) => task_id)).toContain(due);
    const page = await listed(100, { deployment_id: scheduled.deployment_id }).tasks('');
    expect(page).toMatchObject({ num_total: 99, next: expect.any(String) });
  });

  test('are refused earlier by the limit in bytes for waiting tasks of a deployment', async () => {
    const { id } = await tasks.installed({ helm_chart_id: chartId });
    const send = () =>
      call(owner, deploymentTasks.operations.create, {
        body: {
          deployment_id: id,
          operation: {
            Upgrade: { helm_chart_id: chartId, config_inputs: largest('s'), values_override: largest('o') },
          },
          execute_at: new Date(Date.now() + 86_400_000).toISOString(),
        },
      });
    let accepted = 0;
    const refused = await (async () => {
      for (; accepted < 20; accepted += 1) await send();
    })().catch((error: unknown) => error);

    expect(refused).toEqual(refusal('conflict', `${maxOpenBytes} is the limit; cancel some or wait for them`));
    expect(accepted * 2 * maxInputBytes).toBeLessThan(maxOpenBytes);
    expect(await walkList(listed(100, { deployment_id: id }).tasks)).toHaveLength(accepted + 1);
  });
});

describe('times at the limits of Postgres', () => {
  const elsewhere = crypto.randomUUID();
  const lists = {
    deployments: {
      rows: (times: readonly string[]) => sql.fragment`
        insert into deployments (name, kind_id, env_id, cluster_id, namespace, helm_chart_id, config, created_at)
        select 't' || n, ${crypto.randomUUID()}::uuid, ${crypto.randomUUID()}::uuid, ${crypto.randomUUID()}::uuid,
          't' || n, ${chartId}::uuid, '{}', at
        from unnest(${sql.array([...times], 'text')}::timestamptz[]) with ordinality as t(at, n)
        returning id
      `,
      of: { name: 't' },
    },
    deployment_tasks: {
      rows: (times: readonly string[]) => sql.fragment`
        insert into deployment_tasks (
          created_at, execute_at, due_at, cluster_id, env_id, deployment_id, operation, status
        )
        select at, at, at, ${elsewhere}::uuid, ${crypto.randomUUID()}::uuid, ${crypto.randomUUID()}::uuid,
          '{"Uninstall": {}}', 'Canceled'
        from unnest(${sql.array([...times], 'text')}::timestamptz[]) at
        returning id
      `,
      of: { cluster_id: elsewhere },
    },
    secrets: {
      rows: (times: readonly string[]) => sql.fragment`
        insert into secrets (id, env_id, collection, name, key_id, wrapped_key, sealed_contents, created_at)
        select gen_random_uuid(), ${elsewhere}::uuid, 'times', 't' || n, '', '', '', at
        from unnest(${sql.array([...times], 'text')}::timestamptz[]) with ordinality as t(at, n)
        returning id
      `,
      of: { env_id: elsewhere },
    },
    deployment_resource_types: {
      rows: (times: readonly string[]) => sql.fragment`
        insert into deployment_resource_types (env_id, deployment_kind_id, key, spec, created_at)
        select ${elsewhere}::uuid, ${elsewhere}::uuid, 't' || n, '{}', at
        from unnest(${sql.array([...times], 'text')}::timestamptz[]) with ordinality as t(at, n)
        returning id
      `,
      of: { env_id: elsewhere },
    },
    deployment_resources: {
      rows: (times: readonly string[]) => sql.fragment`
        with type as (
          insert into deployment_resource_types (deployment_kind_id, key, spec)
          values (${crypto.randomUUID()}::uuid, 'times', '{}') returning id
        )
        insert into deployment_resources (id, type_id, env_id, name, props, sync_status, created_at)
        select gen_random_uuid(), type.id, ${elsewhere}::uuid, 't' || n, '{}', 'Ready', at
        from type, unnest(${sql.array([...times], 'text')}::timestamptz[]) with ordinality as t(at, n)
        returning id
      `,
      of: { env_id: elsewhere },
    },
  };

  test('are tested in every list', () => {
    expect(Object.keys(lists).sort()).toEqual(listedResources('tasks').sort());
  });

  test.for(Object.entries(lists))(
    'are readable in %s, a list that heeds each of its filters',
    async ([name, { rows, of }]) => {
      const inserted = await tasks.database.db.any(sql.type(z.object({ id: z.string() }))`${rows(extremeTimes)}`);
      const ids = inserted.map(({ id }) => id);

      const { walked, read, sorted } = await readEveryWay(name, overHttp(of), 1);

      expect(walked.map(({ id }) => id)).toEqual(ids);
      expect(read).toEqual(walked.map((row) => expect.objectContaining(row)));
      expect(wrongOrders(sorted, ids)).toEqual([]);
      expect(await ignoredFilters(name, overHttp({}))).toEqual([]);
    },
  );

  test('can be used in filters by time', async () => {
    const from = (created_from: string) =>
      call(siteAdmin, deploymentTasks.operations.list, { query: { created_from, cluster_id: elsewhere } });

    expect(await from('0001-01-01T00:00:00Z')).toMatchObject({ num_total: 5 });
    expect(await from('9999-12-31T23:59:59.999Z')).toMatchObject({ num_total: 2 });
  });
});
