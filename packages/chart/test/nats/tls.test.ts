import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectBus } from '@berth/bus/connect-bus';
import { busOptions, busSettings } from '@berth/bus/connection/bus-settings';
import { startServerProcess } from '@berth/devstack';
import { type Certificates, ensureCertificates } from '@berth/devstack/servers/kubernetes/certificates';
import { startForTest, toolsForTest } from '@berth/devstack/testing/with-servers';
import { freePort } from '@berth/testing/network/free-port';
import { silentLog } from '@berth/testing/test-bus';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { bundled, type HelmInTest, type Manifest, merged, needed, podOf, startHelm } from '../support/helm-in-test.ts';
import { natsText } from '../support/nats-text.ts';

let helm: HelmInTest;
let manifests: Manifest[];
beforeAll(async () => {
  helm = await startHelm();
  const nats = { servers: 3, replicas: 3, tls: { issuerRef: { kind: 'ClusterIssuer', name: 'private' } } };
  manifests = await helm.render(merged(needed, bundled, { global: { nats } }));
}, 20 * 60_000);
afterAll(() => helm?.[Symbol.asyncDispose]());

const Config = z.looseObject({
  cluster: z.looseObject({ authorization: z.object({ user: z.string(), password: z.string() }) }),
});
const Monitor = z.object({ num_routes: z.number() });

/** A server with the rendered configuration, whose files and addresses are those of the test. */
async function startServer(name: string, certificates: Certificates, neighbour?: number, routeTls = true) {
  const { stateFolder, guard, signal } = await startForTest();
  const { 'nats-server': program } = await toolsForTest('nats-server');
  const { authority, server } = certificates;
  const text = natsText(manifests, 'nats.conf')
    .replaceAll('/run/berth/nats-tls.crt', server.certificate)
    .replaceAll('/run/berth/nats-tls.key', server.key)
    .replaceAll('/run/berth/nats-ca.crt', authority);
  const { cluster, ...rendered } = Config.parse(JSON.parse(text));
  const { user, password } = cluster.authorization;
  const routes = neighbour === undefined ? [] : [`nats://${user}:${password}@127.0.0.1:${neighbour}`];
  const [port, clusterPort, http] = [await freePort(), await freePort(), await freePort()];
  const here = { host: '127.0.0.1', port: clusterPort, routes, ...(!routeTls && { tls: undefined }) };
  const config = {
    ...rendered,
    host: '127.0.0.1',
    port,
    http: `127.0.0.1:${http}`,
    // Where a server alone has to be ready, it needs no leader of three.
    jetstream: undefined,
    cluster: { ...cluster, ...here },
  };
  await writeFile(join(stateFolder, 'nats.conf'), JSON.stringify(config));
  const read = async (path: string) => (await fetch(`http://127.0.0.1:${http}${path}`)).json();
  await startServerProcess({
    name,
    command: [program, '--config', join(stateFolder, 'nats.conf'), '--name', name],
    logFile: join(stateFolder, 'nats.log'),
    guard,
    signal,
    isReady: () => read('/varz').then(Boolean),
  });
  const routesOf = async () => Monitor.parse(await read('/routez')).num_routes;
  return { port, clusterPort, routes: routesOf, log: () => readFile(join(stateFolder, 'nats.log'), 'utf8') };
}

const Passwords = z.record(z.string(), z.base64());
const passwordOf = (caller: string) => {
  const secret = manifests.find(({ metadata }) => metadata.name === 'ship-berth-nats-passwords');
  return Buffer.from(Passwords.parse(secret?.['data'])[caller] ?? '', 'base64').toString();
};
const connectTo = (settings: Record<string, string>) => {
  const options = busOptions(z.object(busSettings).parse({ NATS_PASSWORD: passwordOf('api-gateway'), ...settings }));
  return connectBus({ ...options, caller: 'api-gateway', log: silentLog, signal: AbortSignal.timeout(60_000) });
};

test('a bundled NATS with a certificate accepts services that have its authority, and no plain connection', async () => {
  const certificates = await ensureCertificates((await startForTest()).stateFolder);
  const server = await startServer('one', certificates);
  const url = `tls://localhost:${server.port}`;

  await using bus = await connectTo({ NATS_URL: url, NATS_CA: certificates.pem.authority });
  expect(bus.isConnected()).toBe(true);

  const plain = await fetch(`http://127.0.0.1:${server.port}/`).catch(() => undefined);
  expect(plain).toBeUndefined();
  const stranger = await ensureCertificates((await startForTest()).stateFolder);
  for (const settings of [{ NATS_URL: url }, { NATS_URL: url, NATS_CA: stranger.pem.authority }]) {
    const before = (await server.log()).length;
    const refused = connectTo(settings).then(
      async (connected) => connected[Symbol.asyncDispose]().then(() => 'connected'),
      () => 'ended',
    );
    await expect.poll(async () => (await server.log()).slice(before)).toMatch(/TLS handshake error/);
    void refused;
  }
});

test('its servers are joined only by those with a certificate of their authority', async () => {
  const certificates = await ensureCertificates((await startForTest()).stateFolder);
  const stranger = await ensureCertificates((await startForTest()).stateFolder);
  const server = await startServer('one', certificates);

  const others = [
    await startServer('plain', certificates, server.clusterPort, false),
    await startServer('stranger', stranger, server.clusterPort),
  ];
  const member = await startServer('member', certificates, server.clusterPort);
  await expect.poll(() => member.routes()).toBeGreaterThan(0);

  expect(await Promise.all(others.map((other) => other.routes()))).toEqual([0, 0]);
});

test('its certificate is for the names that services and servers use, and services get only its authority', () => {
  const Certificate = z.object({ spec: z.object({ dnsNames: z.array(z.string()), usages: z.array(z.string()) }) });
  const certificate = manifests.find(
    ({ kind, metadata }) => kind === 'Certificate' && metadata.name === 'ship-berth-nats',
  );
  const { dnsNames, usages } = Certificate.parse(certificate).spec;
  const { routes } = z
    .object({ cluster: z.object({ routes: z.array(z.string()) }) })
    .parse(JSON.parse(natsText(manifests, 'nats.conf'))).cluster;
  const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
  const urls = deployments.flatMap((one) =>
    (podOf(one)?.containers[0]?.env ?? []).flatMap(({ name, value }) => (name === 'NATS_URL' ? [value ?? ''] : [])),
  );

  expect(usages).toEqual(['server auth', 'client auth']);
  expect(urls).toHaveLength(6);
  for (const url of [...urls, ...routes]) expect(dnsNames).toContain(new URL(url).hostname);
  for (const url of urls) expect(url).toMatch(/^tls:/);
  expect(JSON.stringify(deployments)).toContain('"path":"NATS_CA"');
  expect(JSON.stringify(deployments)).not.toContain('"tls.key"');
});
