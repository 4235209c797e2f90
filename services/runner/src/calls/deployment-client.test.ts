import { setTimeout as delay } from 'node:timers/promises';
import type { Resolve } from '@berth/egress/guarded-lookup';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type HttpsDeployment, startHttpsDeployment } from '../../test/support/https-deployment.ts';
import { createDeploymentClient, type DeploymentCall, type DeploymentClientOptions } from './deployment-client.ts';

const token = 'eyJhbGciOiJFZERTQSJ9.eyJhdWQiOiJtZSJ9.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg';
const at =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

let deployment: HttpsDeployment;
beforeAll(async () => {
  deployment = await startHttpsDeployment();
});
afterAll(() => deployment[Symbol.asyncDispose]());
beforeEach(() => {
  deployment.calls.length = 0;
  deployment.respond((_call, response) => response.end('{"ok":true}'));
});

function clientWith(options: Partial<DeploymentClientOptions> = {}) {
  const { port, ca } = deployment;
  const client = createDeploymentClient({
    port,
    ca,
    allowAddresses: ['127.0.0.1'],
    resolve: at('127.0.0.1'),
    ...options,
  });
  onTestFinished(() => client[Symbol.dispose]());
  return (
    call: Partial<DeploymentCall> = {},
    { timeoutMs = 5_000, maxBytes = 1_000, beginningSuffices = false } = {},
  ) =>
    client.call(
      { host: 'localhost', path: '/status', method: 'GET', token, ...call },
      { timeoutMs, maxBytes, beginningSuffices, signal: new AbortController().signal },
    );
}

describe('a call into a deployment', () => {
  test('carries the token and the body as JSON, and returns the answer', async () => {
    const call = clientWith();

    const answer = await call({ method: 'POST', path: 'restart?now=1', body: '{"a":"ü"}' });

    expect(answer).toEqual({ status: 200, text: '{"ok":true}', isCut: false });
    expect(deployment.calls).toMatchObject([
      {
        method: 'POST',
        path: '/restart?now=1',
        body: '{"a":"ü"}',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      },
    ]);
  });

  test('follows no redirect', async () => {
    deployment.respond((_call, response) => response.writeHead(302, { location: '/elsewhere' }).end());

    expect(await clientWith()()).toMatchObject({ status: 302 });
    expect(deployment.calls).toHaveLength(1);
  });

  test('is not sent to a server whose certificate is of an unknown authority', async () => {
    await expect(clientWith({ ca: undefined })()).rejects.toThrow('the certificate of localhost is not trusted');
    expect(deployment.calls).toEqual([]);
  });

  test('is not sent to a server whose certificate is for another name', async () => {
    await expect(clientWith()({ host: 'other.example.com' })).rejects.toThrow('is not trusted (ERR_TLS_CERT_ALTNAME');
    expect(deployment.calls).toEqual([]);
  });

  test.for(['127.0.0.1', '169.254.169.254', '::1', '0.0.0.0', '::ffff:127.0.0.1', 'fe80::1'])(
    'does not connect to a name that resolves to %s',
    async (address) => {
      const call = clientWith({ allowAddresses: [], resolve: at(address) });

      await expect(call()).rejects.toThrow('localhost resolves to an address that is not allowed');
      expect(deployment.calls).toEqual([]);
    },
  );

  test('does not connect to a literal address that is refused', async () => {
    const call = clientWith({ allowAddresses: [] });

    await expect(call({ host: '127.0.0.1' })).rejects.toThrow('the address 127.0.0.1 is not allowed');
  });

  test('resolves a name once and connects to the address that was checked', async () => {
    let lookUps = 0;
    const rebinding: Resolve = async () => {
      lookUps += 1;
      return [{ address: lookUps === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }];
    };

    expect(await clientWith({ resolve: rebinding })()).toMatchObject({ status: 200 });
    expect(lookUps).toBe(1);
  });

  test.for([
    '//elsewhere.example/x',
    '/\\elsewhere.example/x',
    '\\\\elsewhere.example',
    '\t//elsewhere.example',
    '/\n/elsewhere.example',
  ])('stays on the host of the deployment with the path %j', async (path) => {
    let resolved: string | undefined;
    const call = clientWith({
      resolve: async (name) => {
        resolved = name;
        return [{ address: '127.0.0.1', family: 4 }];
      },
    });

    await call({ path }).catch(() => undefined);

    expect([undefined, 'localhost']).toContain(resolved);
  });

  test('ends when no answer comes in time', async () => {
    deployment.respond(() => undefined);

    await expect(clientWith()({}, { timeoutMs: 200 })).rejects.toThrow('did not answer completely within 0.2 s');
  });

  test('ends when the body trickles past the limit', async () => {
    deployment.respond(async (_call, response) => {
      response.writeHead(200);
      while (!response.destroyed) {
        response.write('x');
        await delay(20);
      }
    });

    await expect(clientWith()({}, { timeoutMs: 300 })).rejects.toThrow('did not answer completely within 0.3 s');
  });

  test('ends when a name server keeps silent', async () => {
    const call = clientWith({ resolve: () => new Promise(() => undefined) });

    await expect(call({}, { timeoutMs: 200 })).rejects.toThrow('did not answer completely within 0.2 s');
  });

  test('reads an endless answer only up to the limit', async () => {
    let written = 0;
    const chunk = Buffer.alloc(64 * 1024, 'x');
    deployment.respond(async (_call, response) => {
      response.writeHead(200);
      while (!response.destroyed) {
        written += chunk.length;
        if (!response.write(chunk)) await Promise.race([delay(50), new Promise((go) => response.once('drain', go))]);
      }
    });

    await expect(clientWith()()).rejects.toThrow('the body is larger than 1000 bytes');
    const cut = await clientWith()({}, { beginningSuffices: true });

    expect(cut).toMatchObject({ status: 200, isCut: true });
    expect(cut.text).toHaveLength(1_000);
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  test('does not read headers beyond the limit', async () => {
    deployment.respond((_call, response) => response.setHeader('x', 'y'.repeat(20_000)).end());

    await expect(clientWith()()).rejects.toThrow('localhost sent no usable answer (HPE_HEADER_OVERFLOW)');
  });

  test('hides the token if the deployment answers with it', async () => {
    deployment.respond(({ headers }, response) => response.end(`you sent ${headers.authorization}`));

    expect((await clientWith()()).text).toBe('you sent Bearer ***');
    const cut = await clientWith()({}, { maxBytes: 20, beginningSuffices: true });
    expect(cut).toEqual({ status: 200, text: 'you sent Bearer ***', isCut: false });
  });
});
