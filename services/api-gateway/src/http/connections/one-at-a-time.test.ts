import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { oneAtATime } from './one-at-a-time.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Keeps each request until the test answers it. */
async function start() {
  const running: ServerResponse[] = [];
  const ran: string[] = [];
  const listener: RequestListener = ({ url = '' }, response) => {
    ran.push(url);
    running.push(response);
  };
  const inTurn = oneAtATime();
  const server = createServer(inTurn(listener));
  server.on('checkExpectation', inTurn(listener));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const { port } = server.address() as AddressInfo;
  const open = async (...paths: string[]): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    closing.push(() => socket.destroy());
    await once(socket, 'connect');
    socket.write(paths.join(''));
    return socket;
  };
  return { running, ran, open };
}

const get = (path: string, header = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${header}\r\n`;

test('pipelined requests of a connection run one after the other, whatever they expect; others do not wait for them', async () => {
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

test('what was pipelined behind a request does not run when the client has disconnected', async () => {
  const { running, ran, open } = await start();
  const socket = await open(get('/a'), get('/b'));
  await expect.poll(() => ran).toEqual(['/a']);

  socket.destroy();
  const [first] = running;
  if (!first?.closed) await once(first as ServerResponse, 'close');
  await open(get('/other'));

  await expect.poll(() => ran).toEqual(['/a', '/other']);
});
