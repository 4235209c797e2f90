import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { askForHello, untilRunning } from '@berth/devstack/journey/hello-deployment';
import { waitFor } from '@berth/devstack/journey/wait-for';
import { isCopied } from '@berth/shared/bus/state/event-row';
import { callerNames } from '@berth/shared/contracts/contract';
import { resources } from '@berth/shared/contracts/index';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Platform, startPlatform } from '../setup/platform.ts';
import { TaskRow } from '../setup/slow-deployment.ts';

const observer = {
  name: 'observer',
  password: 'listening-in-for-a-test',
  permissions: { publish: { allow: ['>'] }, subscribe: { allow: ['>'] } },
};

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform({ natsObservers: [observer] });
});
afterAll(() => platform[Symbol.asyncDispose]());

const pids = () => callerNames.map((name) => platform.stack.part(name).pid);

/** What a request answers, and how long it takes. */
async function ask(path: string) {
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

const untilUp = () =>
  waitFor('the platform to answer again', async () => (await ask('/deployments')).status === 200, {
    withinMs: 30_000,
    signal: AbortSignal.timeout(40_000),
  });

const owners = ['auth', 'tasks', 'cluster-sync', 'registry-scan'];

/** In all streams of state. */
async function streamCount(): Promise<number> {
  const nc = await connect({ servers: platform.stack.nats.url, user: observer.name, pass: observer.password });
  try {
    const manager = await jetstreamManager(nc);
    const counts = owners.map(async (owner) => (await manager.streams.info(`STATE_${owner}`)).state.messages);
    return (await Promise.all(counts)).reduce((sum, count) => sum + count);
  } catch {
    return 0;
  } finally {
    await nc.close();
  }
}

/** Rows that other services keep copies of. */
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

test('when the store of JetStream is lost, the state is whole again by itself and the next deployment works', async () => {
  const { stack, admin } = platform;
  const sample = await platform.sample('faults');
  await untilRunning(admin, (await askForHello(admin, sample, 'before')).id);
  const nats = stack.part('nats');
  const before = pids();

  await nats.kill();
  await rm(stack.nats.storeFolder, { recursive: true, force: true });
  await nats.start();
  await untilUp();

  await waitFor('every row to be in the stream again', async () => (await streamCount()) >= (await publishedRows()), {
    withinMs: 60_000,
    everyMs: 500,
    signal: AbortSignal.timeout(70_000),
  });
  const running = await untilRunning(admin, (await askForHello(admin, sample, 'after')).id);
  expect(running.status).toBe('Running');
  expect(pids()).toEqual(before);
});

test('while NATS is down for a minute requests answer 503 within a second; then all goes on and nothing is lost', async () => {
  const { stack, admin } = platform;
  const sample = await platform.sample('faults');
  const before = pids();
  const accepted = await askForHello(admin, sample, 'accepted-before-nats');

  await stack.part('nats').stop();
  const until = performance.now() + 60_000;
  const answers: Awaited<ReturnType<typeof ask>>[] = [];
  while (performance.now() < until) {
    answers.push(await ask('/deployments'));
    await delay(2_000);
  }
  await stack.part('nats').start();
  await untilUp();

  for (const answer of answers) expect(answer).toMatchObject({ status: 503, code: 'unavailable', retryAfter: '1' });
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(1_000);
  expect((await untilRunning(admin, accepted.id)).status).toBe('Running');
  expect((await untilRunning(admin, (await askForHello(admin, sample, 'after-nats')).id)).status).toBe('Running');
  expect(pids()).toEqual(before);
});

test('while Postgres is down requests answer 503 within a second; then all goes on and nothing is lost', async () => {
  const { stack, admin } = platform;
  const sample = await platform.sample('faults');
  const before = pids();
  const accepted = await askForHello(admin, sample, 'accepted-before-postgres');

  await stack.part('postgres').kill();
  const until = performance.now() + 20_000;
  const answers: Awaited<ReturnType<typeof ask>>[] = [];
  while (performance.now() < until) {
    answers.push(await ask('/deployments'));
    await delay(1_000);
  }
  await stack.part('postgres').start();
  await untilUp();

  for (const answer of answers) expect(answer).toMatchObject({ status: 503, code: 'unavailable', retryAfter: '1' });
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(1_000);
  expect((await untilRunning(admin, accepted.id)).status).toBe('Running');
  expect((await untilRunning(admin, (await askForHello(admin, sample, 'after-postgres')).id)).status).toBe('Running');
  expect(pids()).toEqual(before);
});

test('a deployment made while the API server is down waits and says for what, and runs once it is back, at the first attempt', async () => {
  const { stack, admin } = platform;
  const sample = await platform.sample('faults');

  await stack.part('kubernetes').kill();
  const { id } = await askForHello(admin, sample, 'while-cluster-is-down');
  const task = async () => (await admin.list(`/deployment-tasks?deployment_id=${id}`, TaskRow))[0];
  const waiting = await waitFor(
    'the task to wait',
    async () => {
      const now = await task();
      return now?.status === 'Pending' && now.reason?.startsWith('waiting until') ? now : null;
    },
    { withinMs: 30_000, everyMs: 100, signal: AbortSignal.timeout(40_000) },
  );
  await stack.part('kubernetes').start();

  expect(waiting).toMatchObject({ attempts: 0, reason: expect.stringContaining('refused the connection') });
  expect((await untilRunning(admin, id)).status).toBe('Running');
  expect(await task()).toMatchObject({ status: 'Done', attempts: 1 });
});
