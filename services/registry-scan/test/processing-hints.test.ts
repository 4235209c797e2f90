import { createWakeUp } from '@berth/shared/waiting/wake-up';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { followHints } from '../src/push/process-hints.ts';
import { createHintQueue, type HintQueue } from '../src/push/hint-queue.ts';
import { createPollRepository } from '../src/polling/poll-repository.ts';
import { summary, watchedRegistry, web } from './support/scanned-registry.ts';

const { charts, registry, server, service } = watchedRegistry();

let queue: HintQueue;
let stop: AbortController;
let wake: () => void;
let hastened: string[];
let ended: Promise<void>;

beforeEach(() => {
  queue = createHintQueue();
  stop = new AbortController();
  hastened = [];
  const wakeUp = createWakeUp(stop.signal);
  wake = wakeUp.wake;
  const pollRepository = {
    hasten: (domain: string) => {
      hastened.push(domain);
      return createPollRepository(service().db).hasten(domain);
    },
  };
  const registries = new Map([[registry().source.domain, registry()]]);
  ended = followHints({ scan: service().scan, registries, queue, wakeUp, pollRepository })(stop.signal);
});
afterEach(async () => {
  stop.abort();
  await ended;
});

function tell(tag: string | null, digest: string | null = null): void {
  queue.add({ domain: registry().source.domain, repository: 'charts/web', tag, digest, attempt: 1 });
  wake();
}
const shown = async () => summary(await charts());
const soon = { timeout: 5_000, interval: 20 };
const looks = () => server().requests.filter(({ line }) => line.endsWith('/manifests/1.0.0')).length;

test('what was pushed is read, and nothing else', async () => {
  server().push('charts/web', '1.0.0', await web('1.0.0'));
  server().push('charts/web', '1.1.0', await web('1.1.0'));

  tell('1.0.0');

  await expect.poll(shown, soon).toEqual(['1.0.0 true']);
});

test('a tag that is not there yet is looked for again', async () => {
  server().push('charts/web', '0.9.0', await web('0.9.0'));
  tell('1.0.0');
  await expect.poll(looks, soon).toBe(1);

  server().push('charts/web', '1.0.0', await web('1.0.0'));

  await expect.poll(shown, soon).toEqual(['1.0.0 true']);
});

test('a tag that still has its old digest is looked at again', async () => {
  server().push('charts/web', '1.0.0', await web('1.0.0'));
  const archive = await web('2.0.0');
  const later = server().push('charts/web', 'later', archive);
  tell('1.0.0', later.digest);
  await expect.poll(shown, soon).toEqual(['1.0.0 true']);

  server().push('charts/web', '1.0.0', archive);

  await expect
    .poll(async () => (await charts()).find(({ available }) => available)?.image_digest, soon)
    .toBe(later.digest);
});

test('a deletion has the repository looked through', async () => {
  server().push('charts/web', '1.0.0', await web('1.0.0'));
  server().push('charts/web', '1.1.0', await web('1.1.0'));
  tell(null);
  await expect.poll(shown, soon).toEqual(['1.0.0 true', '1.1.0 true']);

  server().untag('charts/web', '1.0.0');
  tell(null);

  await expect.poll(shown, soon).toEqual(['1.0.0 false', '1.1.0 true']);
});

test('what cannot be looked at is left to the poll, and the next hint is followed', async () => {
  server().push('charts/web', '1.0.0', await web('1.0.0'));
  server().misbehave((_, response) => void response.writeHead(403).end());
  tell('1.0.0');
  await expect.poll(() => hastened, soon).toEqual([registry().source.domain]);

  server().misbehave(undefined);
  tell('1.0.0');

  await expect.poll(shown, soon).toEqual(['1.0.0 true']);
});

test('a hint for a registry that nobody configured leads nowhere', async () => {
  queue.add({ domain: 'elsewhere.example', repository: 'charts/web', tag: '1', digest: null, attempt: 1 });
  tell('1.0.0');

  await expect.poll(looks, soon).toBeGreaterThan(0);
  expect(queue.take(10).map(({ domain }) => domain)).not.toContain('elsewhere.example');
});
