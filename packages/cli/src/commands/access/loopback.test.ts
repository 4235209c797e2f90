import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { listenForCode } from './loopback.ts';

test.for(['//', '//?code=x&state=s', 'http://[', '\\\\'])(
  'a request for %s is refused, and the sign-in goes on',
  async (path) => {
    const loopback = await listenForCode();
    loopback.expect({ address: 'https://id.example.test', state: 's' });
    const socket = connect(loopback.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${loopback.port}\r\n\r\n`);

    expect(await text(socket)).toMatch(/^HTTP\/1\.1 40[04]/);
    await loopback.close();
  },
);
