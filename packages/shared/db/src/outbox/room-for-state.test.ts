import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { Registry } from 'prom-client';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Bus } from '@berth/bus/bus';
import type { StateMessage } from '@berth/bus/state/publish-state';
import { type DeploymentTask, deploymentTasks } from '@berth/contracts/resources/tasks/deployment-tasks';
import { type Deployment, deployments } from '@berth/contracts/resources/deployments/deployments';
import { connectTestBus } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import { statement } from '../statement.ts';
import { recordState } from './outbox.ts';
import { relaysUnderTest } from '@berth/testing/db/relays-under-test';

const relays = relaysUnderTest(new URL('../test-migrations/', import.meta.url));
const patience = { interval: 20 };
const created_at = '2026-01-01T00:00:00.000Z';
const metrics = new Registry();

let nats: TestNats;
let tasks: Bus;
let auth: Bus;
/** Its stream may hold only one MiB. */
let registryScan: Bus;
let ofState: NatsConnection;
let ofEvents: NatsConnection;

beforeAll(async () => {
  nats = await startTestNats();
  const administrate = (stream: string) =>
    connect({
      servers: nats.url,
      user: nats.administratorOf(stream),
      pass: nats.password,
      maxReconnectAttempts: -1,
    });
  [tasks, auth, registryScan, ofState, ofEvents] = await Promise.all([
    connectTestBus(nats, 'tasks'),
    connectTestBus(nats, 'auth'),
    connectTestBus(nats, 'registry-scan', { stateBytes: 1024 * 1024, metrics }),
    administrate('STATE_tasks'),
    administrate('ROW_EVENTS'),
  ]);
});
afterAll(async () => {
  await Promise.all([ofState, ofEvents].map((connection) => connection?.close()));
  await Promise.all([tasks, auth, registryScan].map((bus) => bus?.[Symbol.asyncDispose]()));
  await nats?.[Symbol.asyncDispose]();
});

const env_id = randomUUID();

const newDeployment = (): Deployment => ({
  id: randomUUID(),
  created_at,
  name: 'web',
  kind_id: randomUUID(),
  env_id,
  cluster_id: randomUUID(),
  namespace: 'web',
  enabled: true,
  status: 'Running',
  description_md: null,
  reason: null,
  revision_id: null,
  reported_status: null,
  health: null,
  helm_chart_id: randomUUID(),
  config: {},
  values_override: null,
});

const newTask = (deployment_id: string): DeploymentTask => ({
  id: randomUUID(),
  created_at,
  execute_at: created_at,
  first_attempted_at: null,
  started_at: null,
  finished_at: created_at,
  cluster_id: randomUUID(),
  deployment_id,
  acting_user_id: null,
  acting_deployment_id: null,
  canceled_by_user_id: null,
  canceled_by_deployment_id: null,
  operation: {
    Install: { helm_chart_id: randomUUID(), config_inputs: { text: 'large '.repeat(10_000) }, values_override: null },
  },
  status: 'Done',
  reason: null,
  attempts: 1,
});

/** A deployment and a finished task, both published. */
async function published() {
  const deployment = newDeployment();
  const task = newTask(deployment.id);
  relays.start(tasks, { owner: 'tasks', times: { pruneMs: 50 } });
  await relays.db.transaction(async (tx) => {
    recordState(tx, deployments, { id: deployment.id, env_id, operation: 'INSERT', row: deployment });
    recordState(tx, deploymentTasks, { id: task.id, env_id, operation: 'INSERT', row: task });
  });
  await vi.waitFor(() => expect(relays.unpublished()).resolves.toBe(0), patience);
  return { deployment, task };
}

async function subjectsIn(stream: string): Promise<string[]> {
  const { streams } = await jetstreamManager(stream === 'ROW_EVENTS' ? ofEvents : ofState);
  const { state } = await streams.info(stream, { subjects_filter: '>' });
  return Object.keys(state.subjects ?? {});
}

test('a row without a projection is published as an event with only id, status and env, kept for an hour', async () => {
  const { deployment, task } = await published();

  const { streams } = await jetstreamManager(ofEvents);
  const event = await streams.getMessage('ROW_EVENTS', { last_by_subj: `event.v1.tasks.deployment_tasks.${task.id}` });
  expect(event?.json()).toMatchObject({ env_id, operation: 'INSERT', row: { id: task.id, status: 'Done' } });
  expect(event?.data.length).toBeLessThan(500);
  expect((await streams.info('ROW_EVENTS')).config.max_age).toBe(3_600e9);
  expect(await subjectsIn('STATE_tasks')).toEqual([`state_v1.tasks.deployments.${deployment.id}`]);
  const row = sql.type(z.object({ row: z.unknown() }))`select row from outbox where id = ${task.id}`;
  expect(await relays.db.oneFirst(row)).toEqual({ id: task.id, status: 'Done' });

  await relays.db.query(statement`update outbox set changed_at = now() - interval '61 minutes'`);
  const ids = sql.type(z.object({ id: z.string() }))`select id from outbox`;
  await vi.waitFor(async () => expect(await relays.db.anyFirst(ids)).toEqual([deployment.id]), patience);
});

test('a wiped NATS gets the projected rows again, but no finished task', async () => {
  const { deployment } = await published();

  await nats.stop();
  await nats.wipe();
  await nats.start();

  await vi.waitFor(
    async () => expect(await subjectsIn('STATE_tasks')).toEqual([`state_v1.tasks.deployments.${deployment.id}`]),
    patience,
  );
  await vi.waitFor(() => expect(relays.unpublished()).resolves.toBe(0), patience);
  expect((await subjectsIn('ROW_EVENTS')).filter((subject) => subject.includes('deployment_tasks'))).toEqual([]);
});

test('an owner that fills its stream cannot publish new rows, and other owners still can', async () => {
  await Promise.all([registryScan.state.ensureStream(), auth.state.ensureStream()]);
  const message = (resource: string, id: string, bytes: number, version: number): StateMessage => ({
    resource,
    id,
    version,
    env_id: null,
    operation: 'UPDATE',
    row: { id, text: 'x'.repeat(bytes) },
  });
  const chart = (id: string, bytes = 100_000, version = 1) => message('helm_charts', id, bytes, version);
  const first = randomUUID();
  await registryScan.state.publish(chart(first));
  await expect(
    (async () => {
      for (let n = 0; n < 20; n += 1) await registryScan.state.publish(chart(randomUUID()));
    })(),
  ).rejects.toMatchObject({ code: 'too_large' });

  await registryScan.state.publish(chart(first, 50_000, 2));
  await auth.state.publish(message('envs', env_id, 100_000, 1));
  const { used } = await registryScan.state.ensureStream();
  expect(used).toBeGreaterThan(0.8);
  expect(await metrics.metrics()).toContain(`berth_state_stream_used_ratio ${used}`);
});
