import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bus } from '@berth/bus/bus';
import { connectBus } from '@berth/bus/connect-bus';
import { busOptions, busSettings } from '@berth/bus/connection/bus-settings';
import { administratorOf, natsAccounts } from '@berth/bus/accounts/nats-accounts';
import { natsServerConfig } from '@berth/bus/accounts/nats-server-config';
import { type CallerName, callerNames } from '@berth/contracts/definition/contract';
import { deployments } from '@berth/contracts/resources/deployments/deployments';
import { readConfig } from '@berth/service/read-config';
import { freePort } from '@berth/testing/network/free-port';
import { silentLog } from '@berth/testing/test-bus';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startForTest, toolsForTest } from '../testing/with-servers.ts';
import { ensureCertificates } from './kubernetes/certificates.ts';
import { startNats } from './nats.ts';
import { startServerProcess } from './server-process.ts';

const password = 'password-of-the-test';
const operator = { name: 'operator', password };
const passwords = Object.fromEntries(callerNames.map((name) => [name, password])) as Record<CallerName, string>;
const accounts = natsAccounts({ passwords, operator });

let program: string;
beforeAll(async () => {
  program = (await toolsForTest('nats-server'))['nats-server'];
}, 20 * 60_000);

/** The bus of a service with these settings. */
function busOf(
  settings: Record<string, string>,
  { patienceMs = 10_000, caller = 'tasks' }: { patienceMs?: number; caller?: CallerName } = {},
): Promise<Bus> {
  const options = busOptions(readConfig(z.object(busSettings), { NATS_PASSWORD: password, ...settings }));
  return connectBus({ ...options, caller, log: silentLog, signal: AbortSignal.timeout(patienceMs) });
}

describe('a NATS with TLS', () => {
  test('is accepted only by clients that know its authority', async () => {
    const start = await startForTest();
    const { server, pem } = await ensureCertificates(start.stateFolder);
    const nats = await startNats({ ...start, program, accounts, tls: server });

    await using bus = await busOf({ NATS_URL: nats.url, NATS_CA: pem.authority });
    expect(bus.isConnected()).toBe(true);

    await expect(busOf({ NATS_URL: nats.url }, { patienceMs: 1_000 })).rejects.toThrow('timeout');
  });

  test.for([
    ['an authority', (url: string, ca: string) => ({ NATS_URL: url, NATS_CA: ca })],
    ['a tls: URL', (url: string) => ({ NATS_URL: url.replace('nats:', 'tls:') })],
  ] as const)('is required with %s: a server without TLS does not receive the password', async ([, settings]) => {
    const start = await startForTest();
    const { pem } = await ensureCertificates(start.stateFolder);
    const nats = await startNats({ ...start, program, accounts });

    await expect(busOf(settings(nats.url, pem.authority), { patienceMs: 1_000 })).rejects.toThrow('timeout');
    await using bus = await busOf({ NATS_URL: nats.url });
    expect(bus.isConnected()).toBe(true);
  });
});

test('with NATS_REPLICAS the stream is stored on that many servers of a cluster, reaches a follower on another one, and survives the loss of one', async () => {
  const { stateFolder, guard, signal } = await startForTest();
  const numbers = [0, 1, 2];
  const ports = await Promise.all(numbers.map(freePort));
  const clusterPorts = await Promise.all(numbers.map(freePort));
  const routes = clusterPorts.map((port) => `nats://127.0.0.1:${port}`);
  const servers = await Promise.all(
    numbers.map(async (number) => {
      const port = ports[number] ?? 0;
      const cluster = { serverName: `nats-${number}`, port: clusterPorts[number] ?? 0, routes };
      const storeDir = join(stateFolder, `store-${number}`);
      const configFile = join(stateFolder, `nats-${number}.conf`);
      await writeFile(configFile, natsServerConfig({ host: '127.0.0.1', port, storeDir, accounts, cluster }));
      return startServerProcess({
        name: `nats-${number}`,
        command: [program, '--config', configFile],
        logFile: join(stateFolder, `nats-${number}.log`),
        guard,
        signal,
        isReady: async () =>
          (await connect({ servers: `127.0.0.1:${port}`, user: 'operator', pass: password })).close().then(() => true),
      });
    }),
  );
  const urls = ports.map((port) => `nats://127.0.0.1:${port}`);
  await using bus = await busOf({ NATS_URL: urls.slice(0, 2).join(','), NATS_REPLICAS: '3' });

  await expect.poll(() => bus.state.ensureStream().catch(() => null), { interval: 200 }).not.toBeNull();
  expect(await replicasOf(urls)).toBe(3);
  const followed: string[] = [];
  const end = new AbortController();
  await using follower = await busOf({ NATS_URL: urls[2] ?? '' }, { caller: 'cluster-sync' });
  const following = follower.state.follow(deployments, {
    signal: end.signal,
    apply: async ({ id }) => void followed.push(id),
  });
  const publish = (id: string) =>
    bus.state
      .publish({ resource: 'deployments', id, version: 1, env_id: null, operation: 'INSERT', row: { id } })
      .then(() => true);
  await publish('before');
  await expect.poll(() => followed).toContain('before');

  await servers[0]?.stop();
  await expect.poll(() => bus.state.ensureStream().catch(() => null), { interval: 200 }).not.toBeNull();
  await expect.poll(() => publish('after').catch(() => false)).toBe(true);
  await expect.poll(() => followed).toContain('after');
  end.abort();
  await following;
});

async function replicasOf(servers: string[]): Promise<number> {
  const connection = await connect({ servers, user: administratorOf('STATE_tasks', operator), pass: password });
  try {
    const [stream] = await (await jetstreamManager(connection)).streams.list().next();
    return stream?.config.num_replicas ?? 0;
  } finally {
    await connection.close();
  }
}
