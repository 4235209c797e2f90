import { faultsOf, forEachInput, worstJson } from '@berth/testing/worst-inputs';
import { expect, test } from 'vitest';
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
    onHints: () => undefined,
    log,
  });
  const push = (body: string) =>
    fetch(`http://127.0.0.1:${listener.port}/events`, { method: 'POST', body, headers: { authorization: 'Bearer t' } });

  expect(await faultsOf(forEachInput(worstJson(mib - 1_000), push))).toEqual([]);
});
