import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type GatewayProcess, startGatewayProcess } from '@berth/devstack/testing/gateway-process';
import type { Bus } from '@berth/bus/bus';
import { envs } from '@berth/contracts/resources/envs/envs';
import { connectTestBus } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { rawProblemOf } from '../support/problem-of.ts';
import { some, testAuth } from '../support/start-test-gateway.ts';

const mebibyte = 1024 * 1024;
const maxConnections = 6_000;
/** How many MiB an attack may add to the memory of the process. */
const mostGrowth = 256;

/** Leaves file descriptors for the rest of this process. */
const idleConnections = Math.min(10_000, Number(execFileSync('sh', ['-c', 'ulimit -n'])) - 2_000);

let nats: TestNats;
let auth: Bus;
let gateway: GatewayProcess;
let port: number;
let quietMemory: number;
const sockets: Socket[] = [];

beforeAll(async () => {
  nats = await startTestNats();
  auth = await connectTestBus(nats, 'auth');
  auth.serve(testAuth());
  const heavy = {
    id: '0b8a6b0e-0000-4000-8000-000000000001',
    created_at: '2026-01-02T03:04:05.678Z',
    name: 'x'.repeat(mebibyte),
    node_selector: null,
    tolerations: null,
    auto_add_new_users: false,
  };
  auth.serve(
    some(envs, {
      list: async ({ query }) => {
        const items = query.name === undefined ? [] : [heavy];
        return { page: 1, per_page: 50, items, num_total: items.length };
      },
    }),
  );
  await auth.listening();
  gateway = await startGatewayProcess(nats, {
    MAX_CONNECTIONS: String(maxConnections),
    HEADERS_TIMEOUT_SECONDS: '5',
    REQUEST_TIMEOUT_SECONDS: '6',
    ANONYMOUS_REQUESTS_PER_MINUTE: '0',
    REQUESTS_PER_MINUTE: '0',
    LOG_LEVEL: 'silent',
  });
  port = Number(new URL(gateway.url).port);
  for (let turn = 0; turn < 200; turn += 1) await statusOfOther();
  quietMemory = await memory();
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await auth?.[Symbol.asyncDispose]();
  await nats?.[Symbol.asyncDispose]();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** In MiB. */
async function memory(): Promise<number> {
  const status = await readFile(`/proc/${gateway.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}

/** The status that another identity gets on its own connection; the attacks are anonymous or those of `siteAdmin`. */
async function statusOfOther(): Promise<number | undefined> {
  const headers = { 'x-service-token': 'envUser' };
  const sent = httpRequest(`${gateway.url}/api/v2/envs`, { agent: false, headers });
  sent.end();
  const [response] = await once(sent, 'response', { signal: AbortSignal.timeout(30_000) });
  response.resume();
  return response.statusCode;
}

/** Sends requests of other clients until the attack has ended; returns their statuses and the growth of memory. */
async function during(attack: Promise<unknown>): Promise<{ statuses: Set<number | undefined>; growth: number }> {
  const statuses = new Set<number | undefined>();
  const over = new AbortController();
  const ended = attack.finally(() => over.abort());
  let most = 0;
  while (!over.signal.aborted) {
    statuses.add(await statusOfOther());
    most = Math.max(most, await memory());
    await sleep(20);
  }
  await ended;
  return { statuses, growth: most - quietMemory };
}

async function open(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Resolves when the socket is closed, even by a reset. */
const closeOf = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
  });

/** Everything that the gateway sends until it closes the connection. */
async function rest(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  await closeOf(socket);
  return Buffer.concat(parts).toString();
}

const others = { statuses: new Set([200]) };
const times = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

test('headers and bodies that arrive a byte at a time are refused at their time limits, and others are served', async () => {
  // One byte every 100 ms; a stalled machine sends fewer.
  const mostSent = 300;
  const drip = async (head: string) => {
    const socket = await open();
    const received = rest(socket);
    socket.write(head);
    for (let sent = 0; !socket.destroyed && socket.writable; sent += 1) {
      if (sent === mostSent) throw new Error('no time limit was enforced');
      socket.write('x');
      await sleep(100);
      // Reads the answer first, because writing to a closed connection would lose it.
      await nextTurn();
    }
    return rawProblemOf(await received);
  };
  const slowHeaders = 'GET /healthz HTTP/1.1\r\nhost: x\r\nx-slow: ';
  const slowBody =
    'POST /api/v2/envs HTTP/1.1\r\nhost: x\r\nx-service-token: siteAdmin\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n';
  let answers: { status: number; code: unknown }[] = [];
  const attack = times(300, (index) => drip(index % 2 === 0 ? slowHeaders : slowBody)).then((all) => {
    answers = all;
  });

  const { statuses, growth } = await during(attack);

  expect({ statuses }).toEqual(others);
  expect(new Set(answers.map(({ status, code }) => `${status} ${String(code)}`))).toEqual(new Set(['408 timeout']));
  expect(growth).toBeLessThan(mostGrowth);
});

test(`${idleConnections} idle connections leave room for others: those idle for the longest are closed`, async () => {
  const idle: Socket[] = [];
  const attack = async () => {
    while (idle.length < idleConnections) {
      const some = await times(200, async () => {
        const socket = await open();
        socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
        await once(socket, 'data');
        return socket;
      });
      idle.push(...some);
    }
  };

  const { statuses, growth } = await during(attack());

  expect({ statuses }).toEqual(others);
  const destroyed = () => idle.filter((socket) => socket.destroyed).length;
  // Between two requests, the other client may have no open connection; then one more idle connection stays open.
  const closed = idle.length - maxConnections;
  await expect.poll(destroyed).toBeGreaterThanOrEqual(closed);
  expect(idle.slice(0, closed).every((socket) => socket.destroyed)).toBe(true);
  expect(await statusOfOther()).toBe(200);
  await expect.poll(destroyed).toBeGreaterThan(closed);
  expect(growth).toBeLessThan(mostGrowth);
});

test.for([
  ['with its length', `content-length: ${1024 * mebibyte}`, ''],
  ['in chunks', 'transfer-encoding: chunked', '10000\r\n'],
] as const)(
  'a body of 1 GiB %s is refused as soon as it is too large, and others are served',
  async ([, header, before]) => {
    const part = Buffer.from(`${before}${' '.repeat(65_536)}${before === '' ? '' : '\r\n'}`);
    let sent = 0;
    let answers: { status: number }[] = [];
    const send = async () => {
      const socket = await open();
      const received = rest(socket);
      socket.write(
        `POST /api/v2/envs HTTP/1.1\r\nhost: x\r\nx-service-token: siteAdmin\r\ncontent-type: application/json\r\n${header}\r\n\r\n`,
      );
      for (let bytes = 0; bytes < 1024 * mebibyte && socket.writable; bytes += part.length) {
        sent += part.length;
        if (!socket.write(part))
          await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closeOf(socket)]);
      }
      return rawProblemOf(await received);
    };
    const attack = times(10, send).then((all) => {
      answers = all;
    });

    const { statuses, growth } = await during(attack);

    expect({ statuses }).toEqual(others);
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(413));
    expect(sent).toBeLessThan(10 * 64 * mebibyte);
    expect(growth).toBeLessThan(mostGrowth);
  },
);

test('a header of a mebibyte, and thousands of headers, are refused, and others are served', async () => {
  const huge = `GET /healthz HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(mebibyte)}\r\n\r\n`;
  const many = `GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${'a:1\r\n'.repeat(3_000)}\r\n`;
  let answers: { status: number; code: unknown }[] = [];
  const attack = times(200, async (index) => {
    const socket = await open();
    const received = rest(socket);
    socket.write(index % 2 === 0 ? huge : many);
    return rawProblemOf(await received);
  }).then((all) => {
    answers = all;
  });

  const { statuses, growth } = await during(attack);

  expect({ statuses }).toEqual(others);
  for (const answer of answers) expect(answer).toMatchObject({ status: 431, code: 'too_large' });
  expect(growth).toBeLessThan(mostGrowth);
});

test.for([
  ['requests', 8, ''],
  ['requests with long headers', 30, `x: ${'x'.repeat(15_000)}\r\n`],
] as const)(
  'clients that pipeline %s without reading answers take no more memory than their sockets hold',
  async ([, clients, header]) => {
    const one = `GET /api/v2/envs?name=x HTTP/1.1\r\nhost: x\r\nx-service-token: siteAdmin\r\n${header}\r\n`;
    const flood = Buffer.from(one.repeat(1_000));
    const attack = times(clients, async () => {
      const socket = await open();
      socket.pause();
      socket.write(flood);
      await sleep(2_000);
    });

    const { statuses, growth } = await during(attack);

    expect({ statuses }).toEqual(others);
    expect(growth).toBeLessThan(mostGrowth);
  },
);
