import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Identity } from '@berth/contracts/access/identity';
import type { CallOptions } from '@berth/bus/rpc/call-options';
import type { Operation, OperationSpec, RequestInput, ResponseOutput } from '@berth/contracts/definition/contract';
import { type DeploymentTask, deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import type { HelmChart } from '@berth/contracts/resources/charts/helm-charts';
import { type Deployment, deployments, type NewDeployment } from '@berth/contracts/resources/deployments/deployments';
import { type ClaimedTask, runnerTasks, type TaskOutcome } from '@berth/contracts/resources/tasks/runner-tasks';
import type { Database } from '@berth/db/database';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { identityToken, sampleIdentities, samplePlaces } from '@berth/testing/test-identities';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Neighbours, startNeighbours } from './neighbours.ts';
import { sampleChart } from './sample-charts.ts';
import { registryId } from './sample-rows.ts';
import { startTasksProcess, type TasksProcess } from './tasks-process.ts';

export const { envId, otherEnvId, kindId } = samplePlaces;
export const otherKindId = '66666666-6666-4666-8666-666666666666';

/** The key that seals secrets, unless a test sets another one. */
export const testKey = randomBytes(32).toString('base64');

/** The service in a process of its own, with a real bus and database, and an env with a cluster, a kind and a chart. */
export interface TasksInTest extends Neighbours {
  readonly nats: TestNats;
  readonly database: OpenTestDatabase;
  readonly process: TasksProcess;
  readonly clusterId: string;
  readonly otherClusterId: string;
  readonly chartId: string;
  /** Another process of the service on the same bus and database. */
  replica(settings?: Record<string, string>): Promise<TasksProcess>;
  call<S extends OperationSpec>(
    as: Identity,
    operation: Operation<S>,
    request: RequestInput<S>,
    options?: Pick<CallOptions, 'ifMatch' | 'idempotencyKey' | 'deadlineMs'>,
  ): Promise<ResponseOutput<S>>;
  create(fields?: Partial<NewDeployment>, as?: Identity): Promise<Deployment>;
  deployment(id: string): Promise<Deployment>;
  task(id: string): Promise<DeploymentTask>;
  /** Newest first. */
  tasksOf(deploymentId: string): Promise<DeploymentTask[]>;
  claim(): Promise<ClaimedTask | null>;
  /** Claims the next task; throws if there is none. */
  claimed(): Promise<ClaimedTask>;
  finish(task: Pick<ClaimedTask, 'task_id' | 'fence'>, outcome?: TaskOutcome, reason?: string): Promise<void>;
  heartbeat(task: Pick<ClaimedTask, 'task_id' | 'fence'>): Promise<{ lease_ms: number; cancel_requested: boolean }>;
  /** The call of a runner before it starts Helm. */
  beginHelm(task: Pick<ClaimedTask, 'task_id' | 'fence'>): Promise<{ lease_ms: number; cancel_requested: boolean }>;
  /** Claims and finishes tasks until none can start. */
  runAll(): Promise<ClaimedTask[]>;
  /** Publishes that the chart is no longer available; resolves once the service has applied this. */
  withdraw(chart: HelmChart): Promise<void>;
  /** An installed deployment. */
  installed(fields?: Partial<NewDeployment>): Promise<Deployment>;
}

export const until = async <T>(read: () => Promise<T | false | null | undefined>, ms = 30_000): Promise<T> => {
  const end = performance.now() + ms;
  for (;;) {
    const seen = await read();
    if (seen !== false && seen !== null && seen !== undefined) return seen;
    if (performance.now() > end) throw new Error('the expected condition did not occur');
    await sleep(20);
  }
};

export const usualLeaseMs = 600_000;

const migrations = new URL('../../migrations/', import.meta.url);

export async function startTasksInTest(
  settings: Record<string, string> = {},
  /** A separate database server; a database that an earlier version has filled. */
  { fill, ...given }: { server?: string; migrations?: URL; fill?: (db: Database) => Promise<void> } = {},
): Promise<TasksInTest> {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await openTestDatabase({ service: 'tasks', migrations, maxConnections: 3, ...given }));
  await fill?.(database.db);
  const nats = stack.use(await startTestNats());
  const neighbours = stack.use(await startNeighbours(nats));
  const replica = async (more: Record<string, string> = {}) =>
    stack.use(
      await startTasksProcess({
        NATS_URL: nats.url,
        NATS_PASSWORD: nats.password,
        DATABASE_URL: database.url,
        SERVICE_OWN_URL: 'https://berth.example.com',
        KEY_ENCRYPTION_KEY: testKey,
        // Claims do not expire unless a test sets a lease: a started task must not return in another test.
        TASK_LEASE_SECONDS: String(usualLeaseMs / 1_000),
        ...settings,
        ...more,
      }),
    );
  const process = await replica();

  const { gateway, runner, publish } = neighbours;
  await publish.env({ id: envId, name: 'staging' });
  await publish.env({ id: otherEnvId, name: 'other' });
  const { id: clusterId } = await publish.cluster({ env_id: envId });
  const { id: otherClusterId } = await publish.cluster({ env_id: otherEnvId, name: 'elsewhere' });
  await publish.kind({ id: kindId, created_at: '2026-01-01T00:00:00.000Z', name: 'Web' });
  await publish.kind({ id: otherKindId, created_at: '2026-01-01T00:00:00.000Z', name: 'Other' });
  await publish.registry(registryId, kindId);
  const { id: chartId } = await publish.chart(sampleChart());
  const seen = sql.type(z.object({ n: z.number().int() }))`
    select (select count(*) from env_projection) + (select count(*) from k8s_cluster_projection) +
      (select count(*) from deployment_kind_projection) + (select count(*) from helm_chart_projection) +
      (select count(*) from helm_registry_projection) as n
  `;
  await until(async () => (await database.db.one(seen)).n === 8);

  const call: TasksInTest['call'] = async (as, operation, request, options = {}) =>
    gateway.call(operation, request, {
      identityToken: await identityToken(as, 'tasks'),
      requestId: randomUUID(),
      ...options,
    });
  const { siteAdmin, owner } = sampleIdentities;
  const { claim, heartbeat, finish } = runnerTasks.operations;

  const inTest: Omit<TasksInTest, keyof Neighbours> = {
    nats,
    database,
    process,
    clusterId,
    otherClusterId,
    chartId,
    replica,
    call,
    create: (fields = {}, as = owner) =>
      call(as, deployments.operations.create, {
        body: {
          name: `d${randomUUID().slice(0, 8)}`,
          kind_id: kindId,
          cluster_id: clusterId,
          helm_chart_id: chartId,
          config: { replicas: 1 },
          values_override: null,
          ...fields,
        },
      }),
    deployment: (id) => call(siteAdmin, deployments.operations.get, { id }),
    task: (id) => call(siteAdmin, deploymentTasks.operations.get, { id }),
    tasksOf: async (deployment_id) =>
      (await call(siteAdmin, deploymentTasks.operations.list, { query: { deployment_id } })).items,
    claim: async () => (await runner.call(claim, { body: { runner: 'test', continues_waits: true } })).task,
    claimed: () => until(inTest.claim),
    finish: async ({ task_id, fence }, outcome = 'Done', reason) => {
      await runner.call(finish, { body: { task_id, fence, outcome, reason: reason ?? null } });
    },
    heartbeat: ({ task_id, fence }) => runner.call(heartbeat, { body: { task_id, fence } }),
    beginHelm: ({ task_id, fence }) => runner.call(heartbeat, { body: { task_id, fence, helm_begins: true } }),
    async runAll() {
      const run: ClaimedTask[] = [];
      for (let task = await inTest.claim(); task; task = await inTest.claim()) {
        run.push(task);
        await inTest.finish(task);
      }
      return run;
    },
    async withdraw(chart) {
      await publish.chart({ ...chart, available: false });
      const isKnown = statement`
        select from helm_chart_projection where id = ${chart.id} and not available
      `;
      await until(() => database.db.exists(isKnown));
    },
    async installed(fields) {
      const { id } = await inTest.create(fields);
      await inTest.runAll();
      return inTest.deployment(id);
    },
  };
  return Object.assign(neighbours, inTest, { [Symbol.asyncDispose]: () => stack.disposeAsync() });
}
