import { once } from 'node:events';
import { createServer } from 'node:http';
import { faultsOf, forEachInput, worstJson } from '@berth/testing/worst-inputs';
import { expect, onTestFinished, test } from 'vitest';
import { boundedFetch } from './bounded-fetch.ts';

test('the worst answers of an identity provider neither block the event loop nor fill the memory', async () => {
  let json = '';
  const server = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(json),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const options = { method: 'GET', headers: {}, redirect: 'manual', body: undefined } as const;

  const read = async (answer: string) => {
    json = answer;
    const response = await boundedFetch(`http://127.0.0.1:${port}/`, options);
    await response.json();
  };

  expect(await faultsOf(forEachInput(worstJson(2 ** 20 - 1_000), read))).toEqual([]);
});
