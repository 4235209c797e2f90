import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { portOf } from '@berth/testing/network/port-of';
import { afterEach, expect, test } from 'vitest';
import { limitConnections } from './limit-connections.ts';

const longBytes = 64 * 1024 * 1024;
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Answers `/` at once, `/refused` before the body, and `/long` with more than the system buffers; other paths wait in `held`. */
async function start(limit: { most: number; slowReaderMs?: number; mostUnreadBytes?: number }) {
  const held: ServerResponse[] = [];
  const closed: string[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/') response.end('at once');
    else if (request.url === '/refused') response.end('refused');
    else if (request.url === '/long') response.end(Buffer.alloc(longBytes));
    else request.on('data', () => undefined).once('end', () => held.push(response));
  });
  const usual = { slowReaderMs: 60_000, mostUnreadBytes: Number.MAX_SAFE_INTEGER, sweepMs: 50 };
  limitConnections(server, { ...usual, ...limit, onClosed: (which) => closed.push(which) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });

  return {
    held,
    closed,
    async open(request = ''): Promise<Socket> {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      closing.push(() => socket.destroy());
      await once(socket, 'connect');
      if (request !== '') socket.write(request);
      return socket;
    },
  };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
const slowBody = 'POST /held HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n12345';

async function answerTo(socket: Socket): Promise<string> {
  const [data]: Buffer[] = await once(socket, 'data');
  return String(data);
}

test('beyond the limit the connection that has waited the longest is closed, even if it has sent part of a request', async () => {
  const { open, closed } = await start({ most: 4 });
  const silent = await open();
  const slow = await open('GET / HTT');
  const sending = await open(slowBody);
  const idle = await open(get('/'));
  expect(await answerTo(idle)).toContain('at once');

  for (const oldest of [silent, slow, sending, idle]) {
    const isClosed = once(oldest, 'close');
    const next = await open(get('/'));
    expect(await answerTo(next)).toContain('at once');
    await isClosed;
  }
  expect(closed).toEqual(['waiting', 'waiting', 'waiting', 'waiting']);
});

test('connections whose requests are being answered stay, and a new one is refused if all are', async () => {
  const { open, held, closed } = await start({ most: 3 });
  const whole = `${slowBody}67890`;
  const busy = [await open(get('/held')), await open(whole), await open(`${get('/')}${get('/held')}`)] as const;
  await expect.poll(() => held.length).toBe(3);

  const refused = await open(get('/'));
  await once(refused, 'close');
  expect(closed).toEqual(['new']);

  for (const response of held) response.end('later');
  expect(await answerTo(busy[0])).toContain('later');
  await expect.poll(async () => answerTo(await open(get('/')))).toContain('at once');
  expect(closed).toEqual(['new', 'waiting']);
});

test.for([
  ['whose body comes after the answer', ['12345', '67890']],
  ['whose body comes with its head', ['1234567890']],
] as const)(
  'a connection is idle again after a request that was refused before its body was read, %s',
  async ([, body]) => {
    const { open, held, closed } = await start({ most: 2 });
    const [first, ...others] = body;
    const refused = await open(`POST /refused HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n${first}`);
    expect(await answerTo(refused)).toContain('refused');
    for (const part of others) refused.write(part);
    // The answer to this shows that the body has arrived.
    refused.write(get('/'));
    expect(await answerTo(refused)).toContain('at once');

    await open(get('/held'));
    await expect.poll(() => held.length).toBe(1);
    const next = await open(get('/'));

    await expect.poll(() => closed).toEqual(['waiting']);
    expect(await answerTo(next)).toContain('at once');
  },
);

test('a client that does not read its answer is disconnected; one that reads slowly is not', async () => {
  const { open, closed } = await start({ most: 10, slowReaderMs: 3_000 });
  const deaf = await open(get('/long'));
  deaf.pause();
  const slow = await open(get('/long'));
  let read = 0;
  slow.on('data', (data: Buffer) => {
    read += data.length;
    slow.pause();
  });

  const goOn = () => {
    slow.resume();
    return closed;
  };
  await expect.poll(goOn, { interval: 20 }).toEqual(['slow']);
  expect(read).toBeLessThan(longBytes);
  slow
    .removeAllListeners('data')
    .on('data', (data: Buffer) => (read += data.length))
    .resume();
  await expect.poll(() => read).toBeGreaterThan(longBytes);
  deaf.resume();
  await once(deaf, 'close');
});

test('when unread answers exceed the memory for them, the clients with the most unread bytes are disconnected', async () => {
  const { open, closed } = await start({ most: 10, mostUnreadBytes: 2.5 * longBytes });
  const deaf = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const socket = await open(get('/long'));
      socket.pause();
      return socket;
    }),
  );

  await expect.poll(() => closed.length).toBeGreaterThanOrEqual(2);
  expect(closed.length).toBeLessThan(deaf.length);
  expect(await answerTo(await open(get('/')))).toContain('at once');
});
