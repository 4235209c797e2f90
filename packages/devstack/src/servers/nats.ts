import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { NatsAccount } from '@berth/bus/accounts/nats-accounts';
import { type NatsServerSettings, natsServerConfig } from '@berth/bus/accounts/nats-server-config';
import { greetsWithJetStream } from '@berth/testing/network/greets-with-jetstream';
import { rememberedPorts, writePrivately } from './remembered.ts';
import { type RunningServer, type ServerStart, startServerProcess } from './server-process.ts';

export interface NatsStart extends ServerStart {
  /** The nats-server program. */
  readonly program: string;
  /** Only their users can connect. Without accounts, any process on this machine can do anything. */
  readonly accounts: readonly NatsAccount[];
  readonly tls?: NatsServerSettings['tls'];
}

export interface NatsServer extends RunningServer {
  readonly url: string;
  readonly port: number;
  readonly storeFolder: string;
}

/** Starts NATS with JetStream. A restart on the same state folder has the same port and streams. */
export async function startNats({
  stateFolder,
  program,
  accounts,
  tls,
  guard,
  signal,
}: NatsStart): Promise<NatsServer> {
  const folder = join(stateFolder, 'nats');
  const storeFolder = join(folder, 'store');
  await mkdir(folder, { recursive: true });
  const { nats: port } = await rememberedPorts(join(folder, 'ports.json'), ['nats']);
  const configFile = join(folder, 'nats-server.conf');
  const settings = { host: '127.0.0.1', port, storeDir: storeFolder, accounts, isDurable: true, ...(tls && { tls }) };
  await writePrivately(configFile, natsServerConfig(settings));

  const server = await startServerProcess({
    name: 'nats',
    command: [program, '--config', configFile],
    logFile: join(folder, 'nats.log'),
    guard,
    signal,
    isReady: (probe) => greetsWithJetStream(port, probe),
  });
  return { ...server, url: `${tls ? 'tls://localhost' : 'nats://127.0.0.1'}:${port}`, port, storeFolder };
}
