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

/** What commands use of a process is all there. */
async function run(argv: readonly string[], env: Record<string, string>, stdin: Readable) {
  let [out, err] = ['', ''];
  const stream = (write: (text: string) => unknown) => Object.assign(new EventEmitter(), { isTTY: false, write });
  const given = Object.assign(new EventEmitter(), {
    argv: ['node', 'berth', ...argv],
    env,
    exitCode: undefined as number | undefined,
    stdin,
    stdout: stream((text) => (out += text)),
    stderr: stream((text) => (err += text)),
  });
  await runCli(given as unknown as NodeJS.Process);
  return { out, err, code: given.exitCode };
}

test('names that a shell would read as more than words are not completed', async () => {
  const bound = server.address();
  const port = typeof bound === 'object' && bound ? bound.port : 0;
  const env = { BERTH_URL: `http://127.0.0.1:${port}`, BERTH_TOKEN: 'token', BERTH_COMPLETION_MS: '10000' };

  const { out } = await run(['__complete', 'get', 'env', ''], env, Readable.from([]));

  expect(out).toBe('prod\nProd, old\n');
});

test.for([
  [true, 'reading standard input, until Ctrl-D'],
  [undefined, 'no platform is known'],
] as const)(
  'who types into a command that reads its input is told so, and a pipe is not: %s',
  async ([isTTY, first]) => {
    const stdin = Object.assign(Readable.from([Buffer.from('swordfish')]), { isTTY });
    const set = ['secret', 'set', 'password', '-e', 'prod', '--collection', 'web'];

    const { out, err, code } = await run(set, { BERTH_CONFIG: '/nowhere.json' }, stdin);

    expect({ out, code }).toEqual({ out: '', code: 2 });
    expect(err.split('\n')[0]).toContain(first);
  },
);
