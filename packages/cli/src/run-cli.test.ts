import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from './run-cli.ts';

const names = ['prod', 'Prod, old', '$(touch /tmp/x)', '`id`', 'a;b', "it's", 'a\u001b[2J', 'a\nb'];
const items = names.map((name, at) => ({ id: String(at), name }));

const server = createServer((_request, reply) => {
  reply.setHeader('content-type', 'application/json');
  reply.end(JSON.stringify({ items, page: 1, per_page: 100, num_total: items.length, num_pages: 1, next: null }));
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

test('names that a shell would read as more than words are not completed', async () => {
  const bound = server.address();
  const port = typeof bound === 'object' && bound ? bound.port : 0;
  let out = '';
  const stream = (write: (text: string) => unknown) => Object.assign(new EventEmitter(), { isTTY: false, write });
  const given = Object.assign(new EventEmitter(), {
    argv: ['node', 'berth', '__complete', 'get', 'env', ''],
    env: { BERTH_URL: `http://127.0.0.1:${port}`, BERTH_TOKEN: 'token', BERTH_COMPLETION_MS: '10000' },
    exitCode: undefined as number | undefined,
    stdin: Readable.from([]),
    stdout: stream((text) => (out += text)),
    stderr: stream(() => undefined),
  });

  // What completion uses of a process is all there.
  await runCli(given as unknown as NodeJS.Process);

  expect(out).toBe('prod\nProd, old\n');
});
