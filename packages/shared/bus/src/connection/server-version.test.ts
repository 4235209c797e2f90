import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { silentLog } from '@berth/testing/test-bus';
import { connectBus } from '../connect-bus.ts';
import { knowsMessageLifetimes, refusalOfServer } from './server-version.ts';

test.for(['2.10.23', '2.10.23-beta.1', '2.10.100', '2.11.0', '2.15.2', '3.0.0'])('NATS %s is new enough', (version) => {
  expect(refusalOfServer(version)).toBeNull();
});

test.for(['2.10.22', '2.9.99', '1.99.99', '0', '', 'dev'])(
  '"%s" is too old, and the error names both versions',
  (version) => {
    expect(refusalOfServer(version)).toBe(`NATS server ${version} is too old: 2.10.23 or later is required`);
  },
);

test('NATS has per-message lifetimes from version 2.11 on', () => {
  expect(['2.10.29', '2.11.0', '2.15.2', '3.0.0'].map(knowsMessageLifetimes)).toEqual([false, true, true, true]);
});

test('a service does not start on an old NATS server', async () => {
  const sockets = new Set<Socket>();
  const old = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.write('INFO {"server_id":"x","version":"2.9.25","headers":true,"max_payload":1048576,"proto":1}\r\n');
    socket.on('data', (data) => {
      if (data.includes('PING')) socket.write('PONG\r\n');
    });
  });
  old.listen(0, '127.0.0.1');
  await once(old, 'listening');
  const address = old.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  const connecting = connectBus({ servers: [`nats://127.0.0.1:${port}`], caller: 'tasks', log: silentLog });

  await expect(connecting).rejects.toThrow('NATS server 2.9.25 is too old: 2.10.23 or later is required');
  for (const socket of sockets) socket.destroy();
  old.close();
});
