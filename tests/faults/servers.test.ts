import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createHello, waitForRunning } from '@berth/devstack/journey/hello-deployment';
import { unwrap, waitUntil } from '@berth/client';
import { administratorOf } from '@berth/bus/accounts/nats-accounts';
import { isCopied } from '@berth/bus/state/event-row';
import { callerNames } from '@berth/contracts/definition/contract';
import { resources } from '@berth/contracts/resources/index';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Platform, startPlatform } from '../setup/platform.ts';

const operator = { name: 'operator', password: 'looking-inside-for-a-test' };

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform({ natsOperator: operator });
});
afterAll(() => platform[Symbol.asyncDispose]());

const pids = () => callerNames.map((name) => platform.stack.part(name).pid);

/** The answer to a request, and its duration. */
async function timedGet(path: string) {
  const started = performance.now();
  const response = await fetch(`${platform.stack.url}/api/v2${path}`, {
    headers: { 'x-service-token': platform.adminToken },
  });
  const body = z.object({ code: z.string().optional() }).parse(await response.json());
  return {
    status: response.status,
    code: body.code,
    ms: performance.now() - started,
    retryAfter: response.headers.get('retry-after'),
  };
}

/** The median, because a single answer may arrive while the machine stalls. */
const usual = (answers: { ms: number }[]): number =>
  answers.map(({ ms }) => ms).toSorted((a, b) => a - b)[Math.floor(answers.length / 2)] ?? 0;

const waitForPlatform = () =>
  waitUntil(async () => (await timedGet('/deployments')).status === 200, {
    what: 'the platform to answer again',
    withinMs: 60_000,
  });

/** A read from each service. */
const readOfEach = ['/users', '/deployments', '/k8s-clusters', '/helm-registries'];

const owners = ['auth', 'tasks', 'cluster-sync', 'registry-scan'];

/** The number of messages in all state streams. */
async function streamCount(): Promise<number> {
  const counts = await Promise.all(owners.map((owner) => messagesIn(`STATE_${owner}`).catch(() => 0)));
  return counts.reduce((sum, count) => sum + count);
}

async function messagesIn(stream: string): Promise<number> {
  const user = administratorOf(stream, operator);
  const nc = await connect({ servers: platform.stack.nats.url, user, pass: operator.password });
  try {
    return (await (await jetstreamManager(nc)).streams.info(stream)).state.messages;
  } finally {
    await nc.close();
  }
}

/** The number of rows of which other services have projections. */
async function publishedRows(): Promise<number> {
  const client = new Client({
    connectionString: Object.assign(new URL(platform.stack.databaseAdminUrl), { pathname: '/berth' }).href,
  });
  await client.connect();
  try {
    const names = resources.filter(isCopied).map(({ name }) => `'${name}'`);
    const counts = owners.map(
      (owner) => `(select count(*) from ${owner.replace('-', '_')}.outbox where resource in (${names.join(', ')}))`,
    );
    const { rows } = await client.query<{ total: string }>(`select ${counts.join(' + ')} as total`);
    return Number(rows[0]?.total);
  } finally {
    await client.end();
  }
}

test('after the loss of the JetStream store, the state is republished and the next deployment works', async () => {
  const { stack, admin } = platform;
  const sample = await platform.sample('faults');
  await waitForRunning(admin, (await createHello(admin, sample, 'before')).id);
  const nats = stack.part('nats');
  const before = pids();

  await nats.kill();
  await rm(stack.nats.storeFolder, { recursive: true, force: true });
  await nats.start();
  await waitForPlatform();

  await waitUntil(async () => (await streamCount()) >= (await publishedRows()), {
    what: 'every row to be published again',
    withinMs: 60_000,
    everyMs: 500,
  });
  const running = await waitForRunning(admin, (await createHello(admin, sample, 'after')).id);
  expect(running.status).toBe('Running');
  expect(pids()).toEqual(before);
});

test('during a NATS outage of a minute, requests answer 503 within a second, and nothing is lost', async () => {
  const { stack, admin } = platform;
  const sample = await platform.sample('faults');
  const before = pids();
  const accepted = await createHello(admin, sample, 'accepted-before-nats');

  await stack.part('nats').stop();
  const end = performance.now() + 60_000;
  const answers: Awaited<ReturnType<typeof timedGet>>[] = [];
  while (performance.now() < end) {
    answers.push(await timedGet('/deployments'));
    await delay(2_000);
  }
  await stack.part('nats').start();
  await waitForPlatform();

  for (const answer of answers) expect(answer).toMatchObject({ status: 503, code: 'unavailable', retryAfter: '1' });
  expect(usual(answers)).toBeLessThan(1_000);
  expect((await waitForRunning(admin, accepted.id)).status).toBe('Running');
  expect((await waitForRunning(admin, (await createHello(admin, sample, 'after-nats')).id)).status).toBe('Running');
  expect(pids()).toEqual(before);
});

test('during a Postgres outage, requests answer 503 within a second; afterwards each service answers again, and nothing is lost', async () => {
  const { stack, admin } = platform;
  const sample = await platform.sample('faults');
  const before = pids();
  const accepted = await createHello(admin, sample, 'accepted-before-postgres');

  await stack.part('postgres').kill();
  const end = performance.now() + 20_000;
  const answers: Awaited<ReturnType<typeof timedGet>>[] = [];
  while (performance.now() < end) {
    answers.push(await timedGet('/deployments'));
    await delay(1_000);
  }
  await stack.part('postgres').start();
  await Promise.all(
    readOfEach.map((path) =>
      waitUntil(async () => (await timedGet(path)).status === 200, {
        what: `${path} to be answered again`,
        withinMs: 30_000,
        longestPauseMs: 200,
      }),
    ),
  );

  for (const answer of answers) expect(answer).toMatchObject({ status: 503, code: 'unavailable', retryAfter: '1' });
  expect(usual(answers)).toBeLessThan(1_000);
  expect((await waitForRunning(admin, accepted.id)).status).toBe('Running');
  expect((await waitForRunning(admin, (await createHello(admin, sample, 'after-postgres')).id)).status).toBe('Running');
  expect(pids()).toEqual(before);
});

test('a deployment created during an outage of the API server shows why it waits, and runs at the first attempt afterwards; the health of others is unknown until then', async () => {
  const { stack, admin } = platform;
  const sample = await platform.sample('faults');
  const running = await createHello(admin, sample, 'before-cluster-is-down');
  await waitForRunning(admin, running.id);
  const healthIs = (state: string) =>
    waitUntil(
      async () => {
        const { health } = unwrap(await admin.deployments.get({ id: running.id }));
        return health?.state === state && health;
      },
      { what: `the health ${state}`, withinMs: 120_000, longestPauseMs: 500 },
    );
  await healthIs('Healthy');

  await stack.part('kubernetes').kill();
  const { id } = await createHello(admin, sample, 'while-cluster-is-down');
  const task = async () => unwrap(await admin.deploymentTasks.list({ query: { deployment_id: id } })).items[0];
  const waiting = await waitUntil(
    async () => {
      const now = await task();
      return now?.status === 'Pending' && now.reason?.startsWith('waiting until') && now;
    },
    { what: 'the task to wait', withinMs: 60_000 },
  );
  const unknown = await healthIs('Unknown');
  await stack.part('kubernetes').start();

  expect(unknown).toMatchObject({ reason: expect.stringContaining('does not answer'), causes: [] });
  await healthIs('Healthy');
  expect(waiting).toMatchObject({ attempts: 0, reason: expect.stringContaining('refused the connection') });
  expect((await waitForRunning(admin, id)).status).toBe('Running');
  expect(await task()).toMatchObject({ status: 'Done', attempts: 1 });
});
