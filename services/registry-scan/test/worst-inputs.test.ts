import { faultsOf, forEachInput, worstJson } from '@berth/testing/worst-inputs';
import { expect, test } from 'vitest';
import { readEcrEvent } from '../src/providers/ecr/ecr-event.ts';
import { readIndex } from '../src/providers/helm-repository/read-index.ts';
import { startPushListener } from '../src/push/push-listener.ts';
import { signal, startWithClient } from './support/client-in-test.ts';

const mib = 2 ** 20;

test.for(['tags', 'catalogue', 'manifest'] as const)(
  'the worst answers of a registry for its %s neither block the event loop nor fill the memory',
  async (what) => {
    const { server, client } = await startWithClient();
    const reads: Record<typeof what, () => Promise<unknown>> = {
      tags: () => client.tags('charts/web', signal()),
      catalogue: () => client.repositories(undefined, signal()),
      manifest: () => client.manifest('charts/web', '1.0.0', signal()),
    };
    const read = (json: string) => {
      server.misbehave((_, response) => void response.end(json));
      return reads[what]();
    };

    expect(await faultsOf(forEachInput(worstJson(4 * mib - 1_000), read))).toEqual([]);
  },
);

test('the worst push events neither block the event loop nor fill the memory', async () => {
  const log = { warn: () => undefined };
  await using listener = await startPushListener({
    host: '127.0.0.1',
    port: 0,
    token: 't',
    createdTokenOf: async () => null,
    onHints: async () => undefined,
    log,
  });
  const push = (body: string) =>
    fetch(`http://127.0.0.1:${listener.port}/events`, { method: 'POST', body, headers: { authorization: 'Bearer t' } });

  expect(await faultsOf(forEachInput(worstJson(mib - 1_000), push))).toEqual([]);
});

test('the worst messages of a queue neither block the event loop nor fill the memory', async () => {
  // As many as come in one answer, and as long as they may be.
  const receive = async (body: string) => Array.from({ length: 10 }, () => readEcrEvent(body));

  expect(await faultsOf(forEachInput(worstJson(mib), receive))).toEqual([]);
});

async function* inPieces(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}
const listed = (count: number, entry: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => entry(n)).join();

test('the worst indexes in JSON neither block the event loop nor fill the memory', async () => {
  const entries = {
    ...worstJson(8 * mib - 100),
    'charts of one version': `{${listed(49_000, (n) => `"w${n}":[{}]`)}}`,
    'versions of one chart': `{"web":[${listed(29_000, (n) => `{"version":"${n}","urls":["a"]}`)}]}`,
    'URLs of one version': `{"web":[{"version":"1","urls":[${listed(140_000, (n) => `"${n}"`)}]}]}`,
    'long URLs': `{"web":[{"version":"1","urls":[${listed(4_000, () => `"${'/..'.repeat(640)}"`)}]}]}`,
  };
  const read = (json: string) =>
    readIndex(inPieces(`{"entries":${json}}`), { base: new URL('https://charts.example.com/') });

  expect(await faultsOf(forEachInput(entries, read))).toEqual([]);
});
