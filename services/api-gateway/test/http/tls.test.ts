import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '@berth/service/logging/create-log';
import { type Certificates, ensureCertificates } from '@berth/devstack/servers/kubernetes/certificates';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCertificate } from '@berth/service/tls/certificate-folder';
import { renewCertificate } from '@berth/service/tls/renew-certificate';
import { runService } from '@berth/service/run-service';
import { freePort } from '@berth/testing/network/free-port';
import { startTestGateway, type TestGateway } from '../support/start-test-gateway.ts';

let scratch: string;
const made: Certificates[] = [];
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'berth-tls-'));
  for (const name of ['one', 'two']) made.push(await ensureCertificates(join(scratch, name)));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** Writes a folder with this certificate, laid out like a mounted Secret. */
async function mounted(name: string, { server }: Certificates): Promise<string> {
  const folder = join(scratch, name);
  await mkdir(folder);
  await writeFile(join(folder, 'tls.crt'), await readFile(server.certificate));
  await writeFile(join(folder, 'tls.key'), await readFile(server.key));
  return folder;
}

interface Client {
  ca: string;
  cert?: string;
  key?: string;
  maxVersion?: 'TLSv1.1' | 'TLSv1.2';
}

const get = ({ port }: Pick<TestGateway, 'port'>, client: Client) =>
  new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path: '/healthz', agent: false, ...client }, (response) => {
      response.resume();
      resolve({ status: response.statusCode, headers: response.headers });
    });
    sent.on('error', reject);
    sent.end();
  });

describe('a gateway with a certificate', () => {
  test('accepts only TLS 1.2 and above, and tells browsers to use only https', async () => {
    const [one] = made as [Certificates];
    const folder = await mounted('plain', one);
    await using gateway = await startTestGateway({ tls: await readCertificate(folder) });
    const ca = one.pem.authority;

    expect(await get(gateway, { ca })).toMatchObject({
      status: 200,
      headers: { 'strict-transport-security': 'max-age=31536000' },
    });
    expect(await get(gateway, { ca, maxVersion: 'TLSv1.2' })).toMatchObject({ status: 200 });
    await expect(get(gateway, { ca, maxVersion: 'TLSv1.1' })).rejects.toThrow(/protocol|alert/i);
    await expect(fetch(`http://127.0.0.1:${gateway.port}/healthz`)).rejects.toThrow('fetch failed');
  });

  test('ends the handshake of a client without a certificate of the required authority', async () => {
    const [one, two] = made as [Certificates, Certificates];
    const certificate = await readCertificate(await mounted('mutual', one));
    await using gateway = await startTestGateway({ tls: { ...certificate, clientCa: one.pem.authority } });
    const { authority: ca, adminCertificate: cert, adminKey: key } = one.pem;

    expect(await get(gateway, { ca, cert, key })).toMatchObject({ status: 200 });
    await expect(get(gateway, { ca })).rejects.toThrow(/certificate|alert|ECONNRESET|socket/i);
    await expect(get(gateway, { ca, cert: two.pem.adminCertificate, key: two.pem.adminKey })).rejects.toThrow(
      /certificate|alert|ECONNRESET|socket/i,
    );
  });

  test('uses a new certificate in its folder, and keeps the current one while the folder cannot be read', async () => {
    const [one, two] = made as [Certificates, Certificates];
    const folder = await mounted('renewed', one);
    const inUse = await readCertificate(folder);
    await using gateway = await startTestGateway({ tls: inUse });
    const renew = renewCertificate(gateway.app, { folder, inUse, log: createLog('test', { level: 'silent' }) });

    await writeFile(join(folder, 'tls.crt'), await readFile(two.server.certificate));
    await expect(renew()).rejects.toThrow('key values mismatch');
    expect(await get(gateway, { ca: one.pem.authority })).toMatchObject({ status: 200 });

    await writeFile(join(folder, 'tls.key'), await readFile(two.server.key));
    await renew();
    expect(await get(gateway, { ca: two.pem.authority })).toMatchObject({ status: 200 });
    await expect(get(gateway, { ca: one.pem.authority })).rejects.toThrow(/certificate|signature/);
  });
});

test('the metrics of a service with HEALTH_TLS_FOLDER are served by TLS alone', async () => {
  const [one] = made as [Certificates];
  const port = await freePort();
  const stop = new AbortController();
  const environment = {
    HEALTH_PORT: String(port),
    HEALTH_TLS_FOLDER: await mounted('of metrics', one),
    LOG_LEVEL: 'silent',
  };
  const service = runService('sample', async () => undefined, { environment, stop: stop.signal });

  await expect.poll(() => get({ port }, { ca: one.pem.authority }).catch(() => null)).toMatchObject({ status: 200 });
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow('fetch failed');
  stop.abort();
  await service;
});
