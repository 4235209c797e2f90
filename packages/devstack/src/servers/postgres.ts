import { execFile } from 'node:child_process';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries.ts';
import { removeStalePid } from './remove-stale-pid.ts';
import { rememberedPorts, rememberedSecrets } from './remembered.ts';
import { type RunningServer, type ServerStart, startServerProcess } from './server-process.ts';
import { ServerFailed } from './server-failed.ts';
import { type RunAs, unprivilegedWay } from './unprivileged-user.ts';

const run = promisify(execFile);

export interface PostgresStart extends ServerStart {
  /** False gives up durability in a power cut for speed; for tests only. */
  readonly durable: boolean;
  /** By default the programs of the npm packages. */
  readonly binaries?: PostgresBinaries | undefined;
}

export interface PostgresServer extends RunningServer {
  readonly port: number;
  /** URL of the superuser, with password, for the database `postgres`. */
  readonly adminUrl: string;
}

const SUPERUSER = 'postgres';

/** Starts PostgreSQL. A restart on the same state folder has the same port, password and data. */
export async function startPostgres(start: PostgresStart): Promise<PostgresServer> {
  const { stateFolder, durable, guard, signal } = start;
  const folder = join(stateFolder, 'postgres');
  // World-traversable, because root runs the server as another user. The files in it have their own permissions.
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const binaries = start.binaries ?? (await postgresBinaries(join(folder, 'lib')));
  const { superuser } = await rememberedSecrets(join(folder, 'superuser.json'), ['superuser']);
  const { data, way } = await dataFolder({ folder, binaries, password: superuser, durable, signal });
  await removeStalePid(data, signal);

  const { postgres: port } = await rememberedPorts(join(folder, 'ports.json'), ['postgres']);
  const adminUrl = `postgres://${SUPERUSER}:${superuser}@127.0.0.1:${port}/postgres`;
  const server = await startServerProcess({
    name: 'postgres',
    command: commandOf(way, binaries.postgres, ['-D', data, ...settings({ port, durable })]),
    user: way.user,
    env: binaries.env,
    logFile: join(folder, 'postgres.log'),
    guard,
    signal,
    isReady: () => answers(adminUrl),
    // SIGTERM would wait until all clients have disconnected.
    stopSignal: 'SIGINT',
  });
  return { ...server, port, adminUrl };
}

function settings({ port, durable }: { port: number; durable: boolean }): string[] {
  const safe = durable ? 'on' : 'off';
  const entries = {
    port,
    listen_addresses: '127.0.0.1',
    // Clients use TCP and a password; in many folders, the path of a socket would be too long.
    unix_socket_directories: '',
    // Services and tests that run in parallel open their pools at the same time.
    max_connections: 500,
    // With these settings a crash of the machine may lose data. A crash of the server alone, which tests cause, does not.
    fsync: safe,
    full_page_writes: safe,
    log_line_prefix: '%m [%p] %q%u@%d ',
    // A failed statement may contain a password.
    log_min_error_statement: 'panic',
  };
  return Object.entries(entries).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

interface DataFolder {
  readonly folder: string;
  readonly binaries: PostgresBinaries;
  readonly password: string;
  readonly durable: boolean;
  readonly signal: AbortSignal;
}

/** The data folder, created if it is missing, and how to run the server on it. */
async function dataFolder({ folder, binaries, password, durable, signal }: DataFolder) {
  const data = join(folder, 'data');
  const server = { program: binaries.postgres, env: binaries.env, signal };
  const version = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version !== undefined) {
    const { major } = binaries;
    if (version.trim() !== major)
      throw new ServerFailed(`${data} was made by PostgreSQL ${version.trim()}; this is ${major}`);
    return { data, way: await unprivilegedWay({ ...server, folder: data }) };
  }

  // Renamed once it is complete, so that an interrupted start begins again.
  const unfinished = join(folder, 'data.unfinished');
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  const way = await unprivilegedWay({ ...server, folder: unfinished });
  const passwordFile = join(folder, 'password.initdb');
  try {
    await writeFile(passwordFile, password, { mode: 0o600 });
    await chown(passwordFile, way.owner.uid, way.owner.gid);
    await initialise({ way, binaries, data: unfinished, passwordFile, durable, signal });
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(unfinished, data);
  return { data, way };
}

async function initialise({
  way,
  binaries,
  data,
  passwordFile,
  durable,
  signal,
}: {
  way: RunAs;
  binaries: PostgresBinaries;
  data: string;
  passwordFile: string;
  durable: boolean;
  signal: AbortSignal;
}): Promise<void> {
  const [command, ...args] = commandOf(way, binaries.initdb, [
    `--pgdata=${data}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The same order of texts on every machine.
    '--locale=C',
    ...(Number(binaries.major) < 17 ? [] : ['--locale-provider=builtin', '--builtin-locale=C.UTF-8']),
    ...(durable ? [] : ['--no-sync']),
  ]);
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', ...binaries.env };
  await run(command, args, { ...way.user, env, cwd: '/', signal, timeout: 120_000 });
}

const commandOf = ({ prefix }: RunAs, program: string, args: readonly string[]): [string, ...string[]] => {
  const [first, ...rest] = [...prefix, program];
  return [first, ...rest, ...args];
};

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } finally {
    await client.end();
  }
}
