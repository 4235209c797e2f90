import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { listenForCode } from './loopback.ts';

test.for(['//', '//?code=x&state=s', 'http://[', '\\\\'])(
  'a request for %s is refused, and the sign-in goes on',
  async (path) => {
    const loopback = await listenForCode({});
    loopback.expect({ address: 'https://id.example.test', state: 's' });
    const socket = connect(loopback.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${loopback.port}\r\n\r\n`);

    expect(await text(socket)).toMatch(/^HTTP\/1\.1 40[04]/);
    await loopback.close();
  },
);

// Only root may act as another user.
test.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'another user of this computer, who has read the address in the process list, neither begins nor ends the sign-in',
  async () => {
    const loopback = await listenForCode({});
    const { startUrl } = loopback.expect({ address: 'https://id.example.test', state: 's' });
    const statusFor = async (user: number, address: string): Promise<number> => {
      const { host, port, pathname, search } = new URL(address);
      const request = `GET ${pathname}${search} HTTP/1.0\\r\\nhost: ${host}\\r\\n\\r\\n`;
      const script = `exec 3<>/dev/tcp/127.0.0.1/${port}; printf '${request}' >&3; head -1 <&3`;
      const { stdout } = await promisify(execFile)('bash', ['-c', script], { uid: user, cwd: '/' });
      return Number(stdout.split(' ')[1]);
    };
    const nobody = 65_534;

    const code = `http://127.0.0.1:${loopback.port}/?code=theirs&state=s`;
    expect([await statusFor(nobody, startUrl), await statusFor(nobody, code)]).toEqual([403, 403]);
    expect([await statusFor(0, startUrl), await statusFor(0, code)]).toEqual([302, 200]);
    await loopback.close();
  },
);
