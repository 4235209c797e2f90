import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { portOf } from '@berth/testing/network/port-of';
import { afterEach, expect, test } from 'vitest';
import { beginStream, oneAtATime } from './one-at-a-time.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Keeps each request until the test answers it. */
async function start() {
  const running: ServerResponse[] = [];
  const ran: string[] = [];
  /** Bytes of each body, once it has arrived. */
  const bodies: number[] = [];
  const listener: RequestListener = (request, response) => {
    ran.push(request.url ?? '');
    running.push(response);
    let bytes = 0;
    request.on('data', (part: Buffer) => (bytes += part.length)).once('end', () => bodies.push(bytes));
  };
  const inTurn = oneAtATime();
  const server = createServer(inTurn(listener));
  server.on('checkExpectation', inTurn(listener));
  return { running, ran, bodies, ...(await listen(server)) };
}

async function listen(server: Server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const port = portOf(server);
  const open = async (...texts: string[]): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    closing.push(() => socket.destroy());
    await once(socket, 'connect');
    socket.write(texts.join(''));
    return socket;
  };
  return { open };
}

const get = (path: string, header = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${header}\r\n`;

test('pipelined requests run one after the other, with any Expect header; other connections do not wait for them', async () => {
  const { running, ran, open } = await start();
  const socket = await open(get('/a'), get('/b', 'expect: wonders\r\n'), get('/c'));
  await expect.poll(() => ran).toEqual(['/a']);
  await open(get('/other'));
  await expect.poll(() => ran).toEqual(['/a', '/other']);

  running[0]?.end('a');
  await expect.poll(() => ran).toEqual(['/a', '/other', '/b']);
  running[2]?.end('b');
  await expect.poll(() => ran.length).toBe(4);
  running[3]?.end('c');

  let received = '';
  socket.on('data', (data) => (received += String(data)));
  await expect.poll(() => received.match(/\r\n\r\n1\r\n\w|\r\n\r\n\w/g)?.length).toBe(3);
  socket.write(get('/d'));
  await expect.poll(() => ran.at(-1)).toBe('/d');
});

test('pipelined requests no longer run once an answer cannot be delivered to their client', async () => {
  const { running, ran, open } = await start();
  const socket = await open(get('/a'), get('/b'), get('/c'));
  await expect.poll(() => ran).toEqual(['/a']);
  socket.destroy();

  running[0]?.end('resets the connection, since the client is gone');
  await expect.poll(() => ran).toEqual(['/a', '/b']);
  const [, second] = running as [ServerResponse, ServerResponse];
  second.end('not sent');
  await expect.poll(() => second.closed).toBe(true);
  await open(get('/other'));

  await expect.poll(() => ran).toEqual(['/a', '/b', '/other']);
});

test('a connection is not read while a request on it waits for its turn, and is read again afterwards', async () => {
  const { running, ran, open } = await start();
  const long = `x: ${'x'.repeat(12_000)}\r\n`;
  const sent = Array.from({ length: 800 }, (_, n) => get(`/${n}`, long));
  const socket = await open();
  let isTaken = false;
  socket.write(sent.join(''), () => (isTaken = true));
  let answers = '';
  socket.on('data', (data) => (answers += String(data)));

  for (let n = 0; n < 5; n += 1) {
    await expect.poll(() => running.length).toBe(n + 1);
    running[n]?.end('x');
  }
  await expect.poll(() => running.length).toBe(6);
  // More than the buffers of both sockets hold.
  expect(isTaken).toBe(false);

  for (let n = 5; n < sent.length; n += 1) {
    while (running.length <= n) await sleep(1);
    running[n]?.end('x');
  }
  await expect.poll(() => answers.match(/HTTP\/1.1 200/g)?.length).toBe(sent.length);
  expect(ran).toEqual(sent.map((_, n) => `/${n}`));
});

test('a connection stays unread when its client reads an answer while another request waits', async () => {
  const inTurn = oneAtATime();
  const requests: IncomingMessage[] = [];
  const answer = 'x'.repeat(8_000_000);
  // This answer never ends.
  const server = createServer(inTurn((request, response) => requests.push(request) && response.write(answer)));
  const { open } = await listen(server);
  const socket = await open(get('/a'));
  socket.pause();
  await expect.poll(() => requests.length).toBe(1);
  socket.write(get('/behind', `x: ${'x'.repeat(12_000)}\r\n`).repeat(800));
  const [request] = requests as [IncomingMessage];
  await expect.poll(() => request.socket.isPaused()).toBe(true);
  const before = request.socket.bytesRead;

  let taken = 0;
  socket.on('data', (data) => (taken += data.length)).resume();
  await expect.poll(() => taken).toBeGreaterThan(answer.length);
  await expect.poll(() => request.socket.writableLength).toBe(0);
  await sleep(20);

  expect(request.socket.bytesRead).toBe(before);
});

test('the body of a waiting request is read when its turn has come, and so is the request behind it', async () => {
  const { running, ran, bodies, open } = await start();
  const body = 'x'.repeat(3_000_000);
  await open(get('/a'), `POST /b HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n`, body, get('/c'));
  await expect.poll(() => ran).toEqual(['/a']);

  running[0]?.end('a');
  await expect.poll(() => bodies).toEqual([0, body.length]);
  running[1]?.end('b');

  await expect.poll(() => ran).toEqual(['/a', '/b', '/c']);
});

test.for([
  ['while it is open', true],
  ['before it begins', false],
] as const)('a request that is pipelined behind a stream, %s, ends its connection', async ([, isOpen]) => {
  const { running, ran, open } = await start();
  const socket = await open(get('/stream'));
  const closed = once(socket, 'close');
  await expect.poll(() => running.length).toBe(1);
  if (isOpen) beginStream(running[0] as ServerResponse);

  socket.write(get('/behind'));
  await open(get('/other'));
  await expect.poll(() => ran).toContain('/other');
  if (!isOpen) beginStream(running[0] as ServerResponse);

  await closed;
  expect(ran).not.toContain('/behind');
});
