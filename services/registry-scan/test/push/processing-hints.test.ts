import { createWakeUp } from '@berth/service/waiting/wake-up';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { processHints } from '../../src/push/process-hints.ts';
import { createHintQueue, type HintQueue } from '../../src/push/hint-queue.ts';
import { createPollRepository } from '../../src/polling/poll-repository.ts';
import { summary, registryInTest, web } from '../support/registry-in-test.ts';

const { charts, registry, server, service } = registryInTest();

let queue: HintQueue;
let stop: AbortController;
let wake: () => void;
let madeDue: string[];
let ended: Promise<void>;

beforeEach(() => {
  queue = createHintQueue();
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
  const registryOf = (key: string) => (key === registry().key ? registry() : undefined);
  ended = processHints({ scan: service().scan, registryOf, queue, wakeUp, pollRepository })(stop.signal);
});
afterEach(async () => {
  stop.abort();
  await ended;
});

function addHint(tag: string | null, digest: string | null = null): void {
  queue.add({ key: registry().key, repository: 'charts/web', tag, digest, attempt: 1 });
  wake();
}
const shown = async () => summary(await charts());
const soon = { interval: 20 };
const manifestRequests = () => server().requests.filter(({ line }) => line.endsWith('/manifests/1.0.0')).length;

test('a push event causes only its tag to be read', async () => {
  server().push('charts/web', '1.0.0', await web('1.0.0'));
  server().push('charts/web', '1.1.0', await web('1.1.0'));

  addHint('1.0.0');

  await expect.poll(shown, soon).toEqual(['1.0.0 true']);
});

test('a pushed tag that is not visible yet is read again', async () => {
  server().push('charts/web', '0.9.0', await web('0.9.0'));
  addHint('1.0.0');
  await expect.poll(manifestRequests, soon).toBe(1);

  server().push('charts/web', '1.0.0', await web('1.0.0'));

  await expect.poll(shown, soon).toEqual(['1.0.0 true']);
});

test('a pushed tag that still has its old digest is read again', async () => {
  server().push('charts/web', '1.0.0', await web('1.0.0'));
  const archive = await web('2.0.0');
  const later = server().push('charts/web', 'later', archive);
  addHint('1.0.0', later.digest);
  await expect.poll(shown, soon).toEqual(['1.0.0 true']);

  server().push('charts/web', '1.0.0', archive);

  await expect
    .poll(async () => (await charts()).find(({ available }) => available)?.image_digest, soon)
    .toBe(later.digest);
});

test('a deletion causes a scan of the whole repository', async () => {
  server().push('charts/web', '1.0.0', await web('1.0.0'));
  server().push('charts/web', '1.1.0', await web('1.1.0'));
  addHint(null);
  await expect.poll(shown, soon).toEqual(['1.0.0 true', '1.1.0 true']);

  server().untag('charts/web', '1.0.0');
  addHint(null);

  await expect.poll(shown, soon).toEqual(['1.0.0 false', '1.1.0 true']);
});

test('a hint that fails makes the poll due, and the next hint is processed', async () => {
  server().push('charts/web', '1.0.0', await web('1.0.0'));
  server().misbehave((_, response) => void response.writeHead(403).end());
  addHint('1.0.0');
  await expect.poll(() => madeDue, soon).toEqual([registry().source.domain]);

  server().misbehave(undefined);
  addHint('1.0.0');

  await expect.poll(shown, soon).toEqual(['1.0.0 true']);
});

test('a hint for a registry that is not configured is dropped', async () => {
  queue.add({ key: 'elsewhere.example', repository: 'charts/web', tag: '1', digest: null, attempt: 1 });
  addHint('1.0.0');

  await expect.poll(manifestRequests, soon).toBeGreaterThan(0);
  expect(queue.take(10).map(({ key }) => key)).not.toContain('elsewhere.example');
});
