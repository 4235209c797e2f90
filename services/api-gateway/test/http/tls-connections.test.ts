import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect as connectTcp, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { type Certificates, ensureCertificates } from '@berth/devstack/servers/kubernetes/certificates';
import { type GatewayProcess, startGatewayProcess } from '@berth/devstack/testing/gateway-process';
import type { Bus } from '@berth/bus/bus';
import { envs } from '@berth/contracts/resources/envs/envs';
import { connectTestBus } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { some, testAuth } from '../support/start-test-gateway.ts';

/** The lowest possible setting. */
const maxConnections = 16;
const flood = 3 * maxConnections;

let scratch: string;
let certificates: Certificates;
let nats: TestNats;
let auth: Bus;
/** Lists that the test answers later. */
const held: (() => void)[] = [];
const sockets: Socket[] = [];

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'berth-tls-connections-'));
  certificates = await ensureCertificates(join(scratch, 'made'));
  await mkdir(join(scratch, 'mounted'));
  await copyFile(certificates.server.certificate, join(scratch, 'mounted', 'tls.crt'));
  await copyFile(certificates.server.key, join(scratch, 'mounted', 'tls.key'));
  nats = await startTestNats();
  auth = await connectTestBus(nats, 'auth');
  auth.serve(testAuth());
  auth.serve(
    some(envs, {
      list: async () => {
        await new Promise<void>((resolve) => held.push(resolve));
        return { page: 1, per_page: 50, items: [], num_total: 0 };
      },
    }),
  );
  await auth.listening();
});
afterAll(async () => {
  await auth?.[Symbol.asyncDispose]();
  await nats?.[Symbol.asyncDispose]();
  await rm(scratch, { recursive: true, force: true });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

describe.for([
  ['TLS', false],
  ['mutual TLS', true],
] as const)('a gateway with %s', ([, isMutual]) => {
  let gateway: GatewayProcess;
  let port: number;
  beforeAll(async () => {
    gateway = await startGatewayProcess(nats, {
      TLS_FOLDER: join(scratch, 'mounted'),
      ...(isMutual && { TLS_CLIENT_CA: certificates.pem.authority }),
      MAX_CONNECTIONS: String(maxConnections),
      LOG_LEVEL: 'silent',
    });
    port = Number(new URL(gateway.url).port);
  });
  afterAll(() => gateway?.[Symbol.asyncDispose]());

  function kept<S extends Socket>(socket: S): S {
    sockets.push(socket);
    return socket.on('error', () => undefined);
  }
  /** Opens a connection without a handshake. */
  async function openSilent(): Promise<Socket> {
    const socket = kept(connectTcp(port, '127.0.0.1'));
    await once(socket, 'connect');
    return socket;
  }
  async function send(path: string): Promise<Socket> {
    const { authority: ca, adminCertificate: cert, adminKey: key } = certificates.pem;
    const socket = kept(connectTls({ host: '127.0.0.1', port, ca, ...(isMutual && { cert, key }) }));
    await once(socket, 'secureConnect');
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nx-service-token: siteAdmin\r\n\r\n`);
    return socket;
  }
  async function answerTo(socket: Socket): Promise<string> {
    const [data]: Buffer[] = await once(socket, 'data', { signal: AbortSignal.timeout(30_000) });
    return String(data).slice(0, 12);
  }
  const closed = (opened: readonly Socket[]) => opened.map(({ destroyed }) => destroyed);
  /** The newest connections stay open. */
  const allButNewest = Array.from({ length: flood }, (_, index) => index <= flood - maxConnections);

  test('closes connections without a handshake first to make room, the oldest before the newest', async () => {
    const silent: Socket[] = [];
    while (silent.length < flood) silent.push(await openSilent());

    expect(await answerTo(await send('/healthz'))).toBe('HTTP/1.1 200');

    await expect.poll(() => closed(silent)).toEqual(allButNewest);
  });

  test('closes the connections that have been idle for the longest to make room', async () => {
    const idle: Socket[] = [];
    while (idle.length < flood) {
      const socket = await send('/healthz');
      expect(await answerTo(socket)).toBe('HTTP/1.1 200');
      idle.push(socket);
    }

    expect(await answerTo(await send('/healthz'))).toBe('HTTP/1.1 200');

    await expect.poll(() => closed(idle)).toEqual(allButNewest);
  });

  test('never closes a connection to make room while its request is being answered', async () => {
    const busy = await send('/api/v2/envs');
    await expect.poll(() => held.length).toBe(1);
    for (let opened = 0; opened < flood; opened += 1) await openSilent();
    expect(await answerTo(await send('/healthz'))).toBe('HTTP/1.1 200');

    held.splice(0).forEach((answer) => answer());

    expect(await answerTo(busy)).toBe('HTTP/1.1 200');
  });
});
