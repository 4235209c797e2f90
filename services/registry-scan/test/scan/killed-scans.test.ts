import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PgConnection, pgConnection } from '@berth/db/postgres/pg-connection';
import { ensureTools, type RegistryServer, startRegistry } from '@berth/devstack';
import { startProcessGuard } from '@berth/process-guard/process-guard';
import { freePort } from '@berth/testing/network/free-port';
import { createTestDatabase } from '@berth/testing/test-database';
import { startTestNats } from '@berth/testing/test-nats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gate, startGate } from '../support/gate.ts';
import { pushChart, pushPackage } from '../support/push-chart.ts';
import { web } from '../support/registry-in-test.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

const migrations = new URL('../../migrations/', import.meta.url);
const pushToken = 'a token of the registries';
const soon = { interval: 50 };
const tags = Array.from({ length: 6 }, (_, patch) => `1.0.${patch}`);

const stack = new AsyncDisposableStack();
let startAgain: () => Promise<RegistryServer>;
let registry: RegistryServer;
let gate: Gate;
let db: PgConnection;
let start: () => Promise<ServiceProcess>;
let service: ServiceProcess;

beforeAll(async () => {
  const stateFolder = await mkdtemp(join(tmpdir(), 'berth-killed-scans-'));
  stack.defer(() => rm(stateFolder, { recursive: true, force: true }));
  const guard = startProcessGuard();
  stack.defer(() => guard.close());
  const signal = AbortSignal.timeout(20 * 60_000);
  const tools = await ensureTools({ names: ['registry'], env: process.env, log: console.log, signal });
  const pushPort = await freePort();
  const notify = { url: `http://127.0.0.1:${pushPort}/events`, authorization: `Bearer ${pushToken}` };
  startAgain = () => startRegistry({ stateFolder, guard, signal, program: tools.registry, notify });
  registry = await startAgain();
  stack.defer(() => registry.stop());
  gate = stack.use(await startGate(registry.url));

  const { url: databaseUrl } = stack.use(await createTestDatabase({ service: 'registry-scan', migrations }));
  db = stack.use(await pgConnection({ url: databaseUrl, applicationName: 'test' }));
  const nats = stack.use(await startTestNats());
  const registries = [{ url: gate.origin, allow_http: true, poll_interval_seconds: 1 }];
  start = () => startServiceProcess({ nats, registries, pushToken, pushPort, databaseUrl });
  service = await start();
  stack.defer(() => service[Symbol.asyncDispose]());
}, 20 * 60_000);
afterAll(() => stack.disposeAsync());

/** Packages of its own: those that are known are not fetched again. */
async function push(repository: string): Promise<void> {
  for (const tag of tags) {
    await pushChart(registry.url, repository, tag, await web(tag, { 'README.md': repository }));
  }
}

/** Its charts, as `1.0.0` or with what is wrong with them. */
async function chartsIn(repository: string): Promise<string[]> {
  const rows = await db.query(
    `select image_tag || case when c.available then '' else ' gone' end || coalesce(' ' || error, '') as chart
     from helm_charts c join helm_registries r on r.id = helm_registry_id where repo_name = $1 order by image_tag`,
    [repository],
  );
  return rows.map(({ chart }) => String(chart));
}

/** How many rows and events there are for the repository. */
async function rowsOf(repository: string) {
  const [row] = await db.query(
    `select count(distinct r.id)::int as registries, count(distinct c.id)::int as charts, count(o.*)::int as published
     from helm_registries r join helm_charts c on r.id = c.helm_registry_id
     left join outbox o on o.resource = 'helm_charts' and o.id = c.id where repo_name = $1`,
    [repository],
  );
  return row;
}
const once = { registries: 1, charts: tags.length, published: tags.length };

/** Kills the scanner, and starts the next one. */
async function replaceScanner(): Promise<void> {
  await service.kill();
  gate.open();
  // The killed one has its leases for up to thirty seconds more, for which no test waits.
  await db.query('update leases set until = clock_timestamp()');
  await service[Symbol.asyncDispose]();
  service = await start();
}

async function replaceRegistry(): Promise<void> {
  await registry.kill();
  gate.open();
  registry = await startAgain();
}

const within = (repository: string) => (path: RegExp) => (request: { line: string }) =>
  request.line.includes(`/${repository}/`) && path.test(request.line);

describe('a scanner that is killed', () => {
  test.for([
    ['before it lists the tags', /\/tags\/list/, 'holdAt'],
    ['within the list of tags', /\/tags\/list/, 'holdWithin'],
    ['before it reads the first tag', /GET .*\/manifests\//, 'holdAt'],
    ['before it reads one of many tags', /GET .*\/manifests\/1\.0\.4/, 'holdAt'],
    ['within a package', /\/blobs\//, 'holdWithin'],
  ] as const)('%s misses no chart, and finds none twice', async ([name, path, hold]) => {
    const repository = `scanner/${name.replaceAll(' ', '-')}`;
    const reached = gate[hold](within(repository)(path));
    await push(repository);
    await reached;

    await replaceScanner();

    await expect.poll(() => chartsIn(repository), soon).toEqual(tags);
    expect(await rowsOf(repository)).toEqual(once);
  });

  test('within the transaction that records a chart misses none, and finds none twice', async () => {
    const repository = 'scanner/transaction';
    await db.query('begin');
    await db.query('lock table helm_charts in share row exclusive mode');
    await push(repository);
    const waiting = async () => {
      const locks = `select 1 from pg_locks where relation = 'helm_charts'::regclass and not granted`;
      return (await db.query(locks)).length;
    };
    await expect.poll(waiting, soon).toBeGreaterThan(0);

    await service.kill();
    await db.query('rollback');
    await replaceScanner();

    await expect.poll(() => chartsIn(repository), soon).toEqual(tags);
    expect(await rowsOf(repository)).toEqual(once);
  });
});

describe('a registry that is killed', () => {
  test.for([
    ['before it lists the tags', /\/tags\/list/, 'holdAt'],
    ['within a manifest', /GET .*\/manifests\/1\.0\.3/, 'holdWithin'],
    ['within a package', /\/blobs\//, 'holdWithin'],
  ] as const)('%s loses no chart, and none is broken or found twice', async ([name, path, hold]) => {
    const repository = `registry/${name.replaceAll(' ', '-')}`;
    const before = await db.query('select id from helm_charts where available order by id');
    const reached = gate[hold](within(repository)(path));
    await push(repository);
    await reached;

    await replaceRegistry();

    await expect.poll(() => chartsIn(repository), soon).toEqual(tags);
    expect(await rowsOf(repository)).toEqual(once);
    const known = [before.map(({ id }) => id)];
    expect(await db.query('select id from helm_charts where available and id = any($1) order by id', known)).toEqual(
      before,
    );
  });

  test('in the middle of a push shows the chart once it was pushed again', async () => {
    const repository = 'registry/push';
    const archive = await web();
    await pushPackage(registry.url, repository, archive);

    await replaceRegistry();
    await pushChart(registry.url, repository, '1.0.0', archive);

    await expect.poll(() => chartsIn(repository), soon).toEqual(['1.0.0']);
  });

  test('before its events are sent has them found by a poll', async () => {
    const repository = 'registry/events';
    await service.kill();
    await push(repository);

    await replaceRegistry();
    await replaceScanner();

    await expect.poll(() => chartsIn(repository), soon).toEqual(tags);
    expect(await rowsOf(repository)).toEqual(once);
  });
});
