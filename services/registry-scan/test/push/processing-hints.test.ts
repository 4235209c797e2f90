import { createWakeUp } from '@berth/service/waiting/wake-up';
import { sql } from 'slonik';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { processHints } from '../../src/push/process-hints.ts';
import { createHintRepository, type HintRepository, type ScanHint } from '../../src/push/hint-repository.ts';
import { createPollRepository } from '../../src/polling/poll-repository.ts';
import type { ScannedRegistry } from '../../src/scan/scanned-registry.ts';
import { startOciServer } from '../support/oci-server.ts';
import { summary, registryInTest, web } from '../support/registry-in-test.ts';

const { charts, registry, server, service } = registryInTest();

let hints: HintRepository;
let stop: AbortController;
const others = new Map<string, ScannedRegistry>();
let wake: () => void;
let madeDue: string[];
let ended: Promise<void>;

beforeEach(() => {
  hints = createHintRepository(service().db);
  stop = new AbortController();
  madeDue = [];
  const wakeUp = createWakeUp(stop.signal);
  wake = wakeUp.wake;
  const pollRepository = {
    makeDue: (domain: string) => {
      madeDue.push(domain);
      return createPollRepository(service().db).makeDue(domain);
    },
  };
  others.clear();
  const registryOf = (key: string) => (key === registry().key ? registry() : others.get(key));
  ended = processHints({ scan: service().scan, registryOf, hints, wakeUp, pollRepository })(stop.signal);
});
afterEach(async () => {
  stop.abort();
  await ended;
});

async function addHint(
  tag: string | null,
  { digest = null, key = registry().key }: Partial<ScanHint> = {},
): Promise<void> {
  expect(await hints.add([{ key, repository: 'charts/web', tag, digest, afterMs: 0 }])).toEqual([]);
  wake();
}
const waiting = () =>
  service().db.any(
    sql.type(z.object({ key: z.string(), tag: z.string().nullable(), attempts: z.number() }))`
      select registry_key as key, tag, attempts from push_hints order by registry_key, tag
    `,
  );
const shown = async () => summary(await charts());
const soon = { interval: 20 };
const manifestRequests = () => server().requests.filter(({ line }) => line.endsWith('/manifests/1.0.0')).length;

test('a push event causes only its tag to be read', async () => {
  server().push('charts/web', '1.0.0', await web('1.0.0'));
  server().push('charts/web', '1.1.0', await web('1.1.0'));

  await addHint('1.0.0');

  await expect.poll(shown, soon).toEqual(['1.0.0 true']);
});

test('a pushed tag that is not visible yet is read again', async () => {
  server().push('charts/web', '0.9.0', await web('0.9.0'));
  await addHint('1.0.0');
  await expect.poll(manifestRequests, soon).toBe(1);

  server().push('charts/web', '1.0.0', await web('1.0.0'));

  await expect.poll(shown, soon).toEqual(['1.0.0 true']);
});

test('a pushed tag that still has its old digest is read again', async () => {
  server().push('charts/web', '1.0.0', await web('1.0.0'));
  const archive = await web('2.0.0');
  const later = server().push('charts/web', 'later', archive);
  await addHint('1.0.0', { digest: later.digest });
  await expect.poll(shown, soon).toEqual(['1.0.0 true']);

  server().push('charts/web', '1.0.0', archive);

  await expect
    .poll(async () => (await charts()).find(({ available }) => available)?.image_digest, soon)
    .toBe(later.digest);
});

test('a deletion causes a scan of the whole repository', async () => {
  server().push('charts/web', '1.0.0', await web('1.0.0'));
  server().push('charts/web', '1.1.0', await web('1.1.0'));
  await addHint(null);
  await expect.poll(shown, soon).toEqual(['1.0.0 true', '1.1.0 true']);

  server().untag('charts/web', '1.0.0');
  await addHint(null);

  await expect.poll(shown, soon).toEqual(['1.0.0 false', '1.1.0 true']);
});

test('a hint that fails makes the poll due, and the next hint is processed', async () => {
  server().push('charts/web', '1.0.0', await web('1.0.0'));
  server().misbehave((_, response) => void response.writeHead(403).end());
  await addHint('1.0.0');
  await expect.poll(() => madeDue, soon).toEqual([registry().source.domain]);

  server().misbehave(undefined);
  await addHint('1.0.0');

  await expect.poll(shown, soon).toEqual(['1.0.0 true']);
});

test('a hint that was handled is gone', async () => {
  server().push('charts/web', '1.0.0', await web('1.0.0'));
  await addHint('1.0.0');

  await expect.poll(shown, soon).toEqual(['1.0.0 true']);
  await expect.poll(waiting, soon).toEqual([]);
});

test('a hint for a registry that is not scanned is tried again, since it may have been created just now, and then dropped', async () => {
  const key = 'elsewhere.example';
  await addHint('1.0.0', { key });
  await expect.poll(waiting, soon).toMatchObject([{ key, attempts: 1 }]);

  await service().db.query(sql.unsafe`update push_hints set attempts = 4, due_at = clock_timestamp()`);
  wake();

  await expect.poll(waiting, soon).toEqual([]);
});

test('a hint whose every scan ended with its replica is left to the poll', async () => {
  await service().db.query(sql.unsafe`
    insert into push_hints (registry_key, repo_name, tag, attempts, due_at)
    values (${registry().key}, 'charts/web', '1.0.0', 10, clock_timestamp())
  `);
  wake();

  await expect.poll(waiting, soon).toEqual([]);
  expect(madeDue).toEqual([registry().key]);
  expect(manifestRequests()).toBe(0);
});

test('a hint that is being handled when the service stops is handed to another replica at once', async () => {
  const asked = Promise.withResolvers<void>();
  server().misbehave(() => asked.resolve());
  await addHint('1.0.0');
  await asked.promise;

  stop.abort();
  await ended;

  expect(await hints.take(60_000, [])).toMatchObject({ tag: '1.0.0' });
});

test('a registry that does not answer leaves room for the hints of others', async () => {
  server().push('charts/web', '1.0.0', await web('1.0.0'));
  await using silent = await startOciServer({ address: '127.0.0.2' });
  const other = service().addRegistry(silent.registry);
  others.set(other.key, other);
  silent.misbehave(() => undefined);
  for (const tag of ['1', '2', '3', '4', '5']) await addHint(tag, { key: other.key });
  // A request may be repeated meanwhile.
  const asked = () => new Set(silent.requests.map(({ line }) => line)).size;
  await expect.poll(asked, soon).toBe(2);

  await addHint('1.0.0');

  await expect.poll(shown, soon).toEqual(['1.0.0 true']);
  expect(asked()).toBe(2);
});
