import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { portOf } from '@berth/testing/network/port-of';
import { buildCli } from '../../scripts/cli/build-cli.ts';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { quantile } from '../machine/quantile.ts';

const run = promisify(execFile);
const starts = 31;

/** Answers at once, so that only the command line is measured. */
async function startAnswering() {
  const row = { id: '11111111-1111-4111-8111-111111111111', name: 'prod', created_at: '2026-01-01T00:00:00.000Z' };
  const server = createServer((_, reply) => {
    reply.writeHead(200, { 'content-type': 'application/json' });
    reply.end(JSON.stringify({ items: [row], next: null }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The times of `berth --help`, a `get` and a completion, in turns with a Node that does nothing. */
export async function measureCliStart(say: (line: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-cli-'));
  using platform = await startAnswering();
  const env = { PATH: process.env['PATH'], BERTH_URL: platform.url, BERTH_TOKEN: 'a.b' };
  try {
    await buildCli(join(folder, 'cli'));
    await writeFile(join(folder, 'nothing.mjs'), '');
    const timed = async (...args: string[]): Promise<number> => {
      const started = performance.now();
      await run(process.execPath, args, { env });
      return performance.now() - started;
    };
    const berth = join(folder, 'cli/berth.js');
    const commands = {
      'Node alone': [join(folder, 'nothing.mjs')],
      'berth --help': [berth, '--help'],
      'berth get envs': [berth, 'get', 'envs'],
      'completion of a name': [berth, '__complete', 'get', 'env', 'p'],
    };
    const times = new Map(Object.keys(commands).map((name): [string, number[]] => [name, []]));
    // The first start writes the cache of compiled code.
    for (const args of Object.values(commands)) await timed(...args);
    for (let start = 0; start < starts; start += 1) {
      for (const [name, args] of Object.entries(commands)) times.get(name)?.push(await timed(...args));
    }
    for (const [name, all] of times)
      say(`${name}: p50 ${Math.round(quantile(all, 0.5))} ms, least ${Math.round(Math.min(...all))} ms`);
    say(loadOfMachine());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
