import { setTimeout as sleep } from 'node:timers/promises';
import { type PgConnection, pgConnection } from '@berth/db/postgres/pg-connection';
import { createTestDatabase } from '@berth/testing/test-database';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type OciServer, startOciServer } from '../support/oci-server.ts';
import { web } from '../support/registry-in-test.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

const migrations = new URL('../../migrations/', import.meta.url);
const pushToken = 'a token of the registries';
const repository = 'charts/web';
const soon = { interval: 50 };

const stack = new AsyncDisposableStack();
let nats: TestNats;
beforeAll(async () => {
  nats = stack.use(await startTestNats());
});
afterAll(() => stack.disposeAsync());

let ending: AsyncDisposableStack;
let registry: OciServer;
let db: PgConnection;
let start: () => Promise<ServiceProcess>;
let service: ServiceProcess;
/** A registry whose charts are found, and whose next poll is due in a day. */
beforeEach(async () => {
  ending = new AsyncDisposableStack();
  registry = ending.use(await startOciServer());
  for (const tag of ['1.0.0', '2.0.0']) registry.push(repository, tag, await web(tag));
  const { url: databaseUrl } = ending.use(await createTestDatabase({ service: 'registry-scan', migrations }));
  db = ending.use(await pgConnection({ url: databaseUrl, applicationName: 'test' }));
  const registries = [{ url: registry.origin, allow_http: true, poll_interval_seconds: 86_400 }];
  start = () => startServiceProcess({ nats, registries, pushToken, databaseUrl });
  service = await start();
  ending.defer(() => service[Symbol.asyncDispose]());
  while (!(await hasScanned())) await sleep(soon.interval);
});
afterEach(() => ending.disposeAsync());

const hasScanned = async () =>
  (await db.query('select 1 from registry_polls where last_scan_at is not null')).length > 0;
const charts = async () =>
  (await db.query('select image_tag as tag from helm_charts where available order by image_tag')).map(({ tag }) => tag);
const digestOfTag = async (tag: string) => {
  const [row] = await db.query('select image_digest as digest from helm_charts where available and image_tag = $1', [
    tag,
  ]);
  return row?.['digest'];
};

async function send(action: 'push' | 'delete', target: object, url = service.pushUrl): Promise<number> {
  const { status } = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${pushToken}` },
    body: JSON.stringify({ events: [{ action, target: { repository, ...target } }] }),
  });
  return status;
}

async function replaceScanner(): Promise<void> {
  await service.kill();
  registry.misbehave(undefined);
  // A hint that was being handled comes back after minutes, for which no test waits.
  await db.query('update push_hints set due_at = clock_timestamp()');
  await service[Symbol.asyncDispose]();
  service = await start();
}
const isIdle = async () => (await db.query('select 1 from push_hints')).length === 0;

test('an accepted push event is handled by the next scanner if one is killed while it reads the tag', async () => {
  const reading = Promise.withResolvers<void>();
  registry.misbehave(() => reading.resolve());
  const { digest } = registry.push(repository, '1.0.0', await web('1.0.0', { 'README.md': 'moved' }));
  expect(await send('push', { tag: '1.0.0', digest })).toBe(202);
  await reading.promise;

  await replaceScanner();

  await expect.poll(() => digestOfTag('1.0.0'), soon).toBe(digest);
  await expect.poll(isIdle, soon).toBe(true);
});

test('an accepted deletion is handled by the next scanner if one is killed before it looks', async () => {
  registry.untag(repository, '1.0.0');
  expect(await send('delete', { digest: `sha256:${'0'.repeat(64)}` })).toBe(202);

  await replaceScanner();

  await expect.poll(charts, soon).toEqual(['2.0.0']);
  await expect.poll(isIdle, soon).toBe(true);
});

test('a push that two scanners of one database are told of is found once', async () => {
  await using second = await start();
  const { digest } = registry.push(repository, '3.0.0', await web('3.0.0'));
  const urls = [service.pushUrl, second.pushUrl, service.pushUrl];

  expect(await Promise.all(urls.map((url) => send('push', { tag: '3.0.0', digest }, url)))).toEqual([202, 202, 202]);

  await expect.poll(charts, soon).toEqual(['1.0.0', '2.0.0', '3.0.0']);
  await expect.poll(isIdle, soon).toBe(true);
  expect(await charts()).toEqual(['1.0.0', '2.0.0', '3.0.0']);
});
