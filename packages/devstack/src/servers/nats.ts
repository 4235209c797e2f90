import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { rememberedPorts, writePrivately } from './remembered.ts';
import { type RunningServer, type ServerStart, startServerProcess } from './server-process.ts';

export interface NatsUser {
  readonly name: string;
  readonly password: string;
  readonly permissions: {
    readonly publish: SubjectRules;
    readonly subscribe: SubjectRules;
  };
}

interface SubjectRules {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

export interface NatsStart extends ServerStart {
  /** The nats-server to run. */
  readonly program: string;
  /** Nobody can connect without being one of them; with none given, anybody on this machine can do anything. */
  readonly users: readonly NatsUser[];
}

export interface NatsServer extends RunningServer {
  readonly url: string;
  readonly port: number;
  readonly storeFolder: string;
}

/** Starts NATS with JetStream. Started again on the same state folder it has the same port and the same streams. */
export async function startNats({ stateFolder, program, users, guard, signal }: NatsStart): Promise<NatsServer> {
  const folder = join(stateFolder, 'nats');
  const storeFolder = join(folder, 'store');
  await mkdir(folder, { recursive: true });
  const { nats: port } = await rememberedPorts(join(folder, 'ports.json'), ['nats']);
  const configFile = join(folder, 'nats-server.conf');
  await writePrivately(configFile, JSON.stringify(natsConfig({ port, storeFolder, users }), null, 2));

  const server = await startServerProcess({
    name: 'nats',
    command: [program, '--config', configFile],
    logFile: join(folder, 'nats.log'),
    guard,
    signal,
    isReady: (probe) => greetsWithJetStream(port, probe),
  });
  return { ...server, url: `nats://127.0.0.1:${port}`, port, storeFolder };
}

/** NATS reads JSON as its own format. */
function natsConfig({ port, storeFolder, users }: { port: number; storeFolder: string; users: readonly NatsUser[] }) {
  return {
    server_name: 'berth-local',
    host: '127.0.0.1',
    port,
    // A client that is stopped or cut off is noticed within half a minute, and a slow one cannot hold up the others.
    ping_interval: '10s',
    ping_max: 2,
    write_deadline: '5s',
    // A body of 1 MiB, in the envelope of a request, with room for the largest answer.
    max_payload: 4 * 1024 * 1024,
    // What JetStream has acknowledged survives a power cut.
    jetstream: { store_dir: storeFolder, sync_interval: 'always' },
    ...(users.length > 0 && {
      authorization: {
        users: users.map(({ name, password, permissions }) => ({ user: name, password, permissions })),
      },
    }),
  };
}

/** The server greets each connection with a line that tells what it can do. */
function greetsWithJetStream(port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, signal });
    socket.once('error', reject);
    socket.once('data', (line) => {
      socket.destroy();
      resolve(line.includes('"jetstream":true'));
    });
  });
}
