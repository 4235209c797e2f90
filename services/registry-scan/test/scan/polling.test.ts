import { randomUUID } from 'node:crypto';
import { whileHolding } from '@berth/db/leases/while-holding';
import { Registry } from 'prom-client';
import { sql } from 'slonik';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { observe } from '../../src/polling/observe-registries.ts';
import { pollRegistry } from '../../src/polling/poll-registry.ts';
import { createPollRepository } from '../../src/polling/poll-repository.ts';
import { createScanMetrics } from '../../src/polling/scan-metrics.ts';
import { sendJson } from '../support/oci-server.ts';
import { registryInTest, web } from '../support/registry-in-test.ts';

const { charts, registries, registry, server, service } = registryInTest();

const signal = () => AbortSignal.timeout(20_000);
const catalogueReads = () => server().requests.filter(({ line }) => line.includes('_catalog')).length;

/** One of several replicas of the service. */
function replica(settings: { pollIntervalMs?: number } = {}, shown = new Registry()) {
  const { db, scan } = service();
  const lease = { holder: randomUUID(), ttlMs: 5_000, heartbeatMs: 1_000, marginMs: 1_000 };
  const whileLeader = (domain: string, work: (held: AbortSignal) => Promise<void>, until: AbortSignal) =>
    whileHolding(db, { ...lease, name: `poll ${domain}`, signal: until }, (held) => work(held));
  const pollRepository = createPollRepository(db);
  const source = { ...registry().source, pollIntervalMs: 3_600_000, ...settings };
  const metrics = createScanMetrics(shown);
  return pollRegistry({ scan, pollRepository, metrics, whileLeader }, { ...registry(), source });
}

/** Within a few seconds, since time passes before the row is read. */
const about = (seconds: number): unknown => expect.closeTo(seconds, -1);
const Poll = z.object({ failures: z.number(), seconds: z.number() });
const nextPoll = () =>
  service().db.one(sql.type(Poll)`
    select failures, round(extract(epoch from next_at - now()))::int as seconds
    from registry_polls where domain_name = ${registry().source.domain}
  `);

beforeEach(async () => {
  server().push('charts/web', '1.0.0', await web());
});

test('a new registry is polled at once, and then not before the next poll is due', async () => {
  const poll = replica();

  await poll(signal());
  await poll(signal());

  expect(catalogueReads()).toBe(1);
  expect(await charts()).toHaveLength(1);
  expect(await nextPoll()).toEqual({ failures: 0, seconds: about(3_600) });
});

test('several replicas poll a registry once', async () => {
  await Promise.all([replica(), replica(), replica()].map((poll) => poll(signal())));

  expect(catalogueReads()).toBe(1);
});

test('a poll can be made due early', async () => {
  const poll = replica();
  await poll(signal());

  await createPollRepository(service().db).makeDue(registry().source.domain);
  await poll(signal());

  expect(catalogueReads()).toBe(2);
});

test('each consecutive failure doubles the pause before the next poll, and a success resets it', async () => {
  const poll = replica({ pollIntervalMs: 60_000 });
  const due = () => createPollRepository(service().db).makeDue(registry().source.domain);
  server().misbehave((_, response) => void response.writeHead(403).end());

  await poll(signal());
  expect(await nextPoll()).toEqual({ failures: 1, seconds: about(120) });
  await due();
  await poll(signal());
  expect(await nextPoll()).toEqual({ failures: 2, seconds: about(240) });

  server().misbehave(undefined);
  await due();
  await poll(signal());
  expect(await nextPoll()).toEqual({ failures: 0, seconds: about(60) });
  expect(await charts()).toHaveLength(1);
});

test('a poll that is aborted is repeated by the next one', async () => {
  const stop = new AbortController();
  server().misbehave((request) => {
    if (!request.url?.includes('tags')) return false;
    stop.abort();
    return undefined;
  });
  await replica()(stop.signal);
  expect(await charts()).toEqual([]);

  server().misbehave(undefined);
  await replica()(signal());

  expect(await charts()).toHaveLength(1);
});

test('a poll that becomes due while one is under way is made after it', async () => {
  const { makeDue } = createPollRepository(service().db);
  server().misbehave(({ url = '' }, response) => {
    if (!url.includes('tags')) return false;
    return void makeDue(registry().source.domain).then(() => sendJson(response, 200, { tags: [] }));
  });
  await replica()(signal());
  server().misbehave(undefined);

  await replica()(signal());

  expect(await charts()).toHaveLength(1);
});

test('a registry shows when it was last scanned completely, and what failed since', async () => {
  const poll = replica({ pollIntervalMs: 60_000 });
  const due = () => createPollRepository(service().db).makeDue(registry().source.domain);
  await poll(signal());
  const [{ last_scan_at: first } = {}] = await registries();
  expect(Date.now() - Date.parse(first ?? '')).toBeLessThan(60_000);

  server().misbehave((_, response) => void response.writeHead(403).end());
  await due();
  await poll(signal());
  expect(await registries()).toMatchObject([
    { last_scan_at: first, last_error: `${registry().source.domain} refuses access (403)` },
  ]);

  server().misbehave(undefined);
  await due();
  await poll(signal());
  const [after] = await registries();
  expect(after).toMatchObject({ last_error: null });
  expect(Date.parse(after?.last_scan_at ?? '')).toBeGreaterThan(Date.parse(first ?? ''));
});

test('a repository that cannot be scanned shows why, and the others do not repeat it', async () => {
  server().push('charts/other', '1.0.0', await web());
  const poll = replica();
  await poll(signal());
  server().misbehave((request, response) =>
    request.url?.includes('charts/web') ? void response.writeHead(403).end() : false,
  );
  await createPollRepository(service().db).makeDue(registry().source.domain);

  await poll(signal());

  const { domain } = registry().source;
  const shown = (await registries()).map(({ repo_name, last_error }) => [repo_name, last_error]);
  expect(Object.fromEntries(shown)).toEqual({
    'charts/web': `${domain} refuses access (403)`,
    'charts/other': `1 could not be scanned: ${domain} refuses access (403)`,
  });
});

const metric = async (shown: Registry, name: string): Promise<number | null> => {
  const line = (await shown.metrics()).split('\n').find((each) => each.startsWith(`${name}{`));
  return line === undefined ? null : Number(line.split(' ').at(-1));
};

test('each replica shows the age and the failures of a registry, also one that never polled it', async () => {
  const polling = new Registry();
  const poll = replica({ pollIntervalMs: 60_000 }, polling);
  await poll(signal());
  server().misbehave((_, response) => void response.writeHead(403).end());
  await createPollRepository(service().db).makeDue(registry().source.domain);
  await poll(signal());

  const other = new Registry();
  const pollRepository = createPollRepository(service().db);
  const sources = [{ ...registry().source, pollIntervalMs: 60_000 }];
  await observe({ pollRepository, metrics: createScanMetrics(other), sources });

  const of = `registry="${registry().source.domain}"`;
  const scannedAt = await metric(other, 'berth_registry_last_complete_scan_timestamp_seconds');
  expect(Math.abs(Date.now() / 1_000 - (scannedAt ?? 0))).toBeLessThan(60);
  expect(await other.metrics()).toContain(`berth_registry_scan_failures{${of}} 1`);
  expect(await other.metrics()).toContain(`berth_registry_poll_interval_seconds{${of}} 60`);
  expect(await polling.metrics()).toContain(`berth_registry_failed_scans_total{${of},cause="denied"} 1`);
});

test('a registry that was never scanned completely ages from its first round, and one without a configuration is not shown', async () => {
  server().misbehave((_, response) => void response.writeHead(403).end());
  await replica()(signal());
  await service().db.query(sql.unsafe`
    update registry_polls set first_at = now() - interval '2 hours';
    `);
  await createPollRepository(service().db).record('gone.example.com', {
    startedAt: await service().scan.tagRepository.now(),
    afterMs: 1,
    failures: 9,
    isComplete: false,
    error: null,
  });

  const shown = new Registry();
  const pollRepository = createPollRepository(service().db);
  await observe({ pollRepository, metrics: createScanMetrics(shown), sources: [registry().source] });

  const scannedAt = await metric(shown, 'berth_registry_last_complete_scan_timestamp_seconds');
  expect(Date.now() / 1_000 - (scannedAt ?? 0)).toBeGreaterThan(7_100);
  expect(await shown.metrics()).not.toContain('gone.example.com');
});
