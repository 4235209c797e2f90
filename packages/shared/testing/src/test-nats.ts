import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { natsServerConfig } from '@berth/bus/accounts/nats-server-config';
import { administratorOf, natsAccounts } from '@berth/bus/accounts/nats-accounts';
import { callerNames, type CallerName, type Resource } from '@berth/contracts/definition/contract';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { resources as allResources } from '@berth/contracts/resources/index';
import { type ProcessGuard, startProcessGuard } from '@berth/process-guard/process-guard';
import { freePort } from './network/free-port.ts';
import { greetsWithJetStream } from './network/greets-with-jetstream.ts';
import { ServerUnavailable } from './network/server-unavailable.ts';

export interface TestNats extends AsyncDisposable {
  readonly url: string;
  /** All users have the same password in tests; only their permissions differ. */
  readonly password: string;
  /** A user of the bus without restrictions, for a test that acts from outside. */
  readonly operator: string;
  /** A user without restrictions in the account of a stream. */
  administratorOf(stream: string): string;
  readonly resources: readonly Resource[];
  /** The server process, to pause or kill. */
  pid(): number;
  stop(): Promise<void>;
  /** Starts it again, on the same port and store. */
  start(): Promise<void>;
  /** Writes its configuration anew, with what `adjust` returns by now. */
  configure(): Promise<void>;
  /** Deletes the oldest messages of a stream, as expiry does. */
  purge(stream: string, options: { keep: number }): Promise<void>;
  /** Loses everything in JetStream, as when a disk breaks. */
  wipe(): Promise<void>;
}

export interface TestNatsOptions {
  resources?: readonly Resource[];
  /** Changes the configuration of the server, as operators of a NATS of their own may. */
  adjust?: (config: Record<string, unknown>) => object;
}

/** A server for one test file, with the accounts, users and permissions of production. */
export async function startTestNats({
  resources = allResources,
  adjust = (config) => config,
}: TestNatsOptions = {}): Promise<TestNats> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-nats-'));
  const password = randomBytes(12).toString('hex');
  const operator = 'operator';
  const storeDir = join(folder, 'store');
  const config = join(folder, 'nats.conf');
  const passwords = Object.fromEntries(callerNames.map((name) => [name, password])) as Record<CallerName, string>;
  const accounts = natsAccounts({ passwords, resources, operator: { name: operator, password } });
  let port = 0;
  let hasJetStream = true;
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    server = await startServer(config, port, hasJetStream);
  }

  async function configure(): Promise<void> {
    const settings = { host: '127.0.0.1', port, storeDir, accounts };
    const adjusted = adjust(JSON.parse(natsServerConfig(settings)));
    await writeFile(config, JSON.stringify(adjusted), { mode: 0o600 });
    hasJetStream = 'jetstream' in adjusted;
  }

  /** Another test may take the port between the choice and the start. */
  async function startOnFreePort(attempts = 3): Promise<void> {
    port = await freePort();
    await configure();
    await start().catch((error: unknown) => {
      if (attempts === 1 || !String(error).includes('address already in use')) throw error;
      return startOnFreePort(attempts - 1);
    });
  }

  async function stop(): Promise<void> {
    const running = server;
    server = undefined;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const exited = once(running, 'exit');
    // It may be paused by the test.
    running.kill('SIGCONT');
    running.kill('SIGKILL');
    await exited;
  }

  await startOnFreePort();
  return {
    url: `nats://127.0.0.1:${port}`,
    password,
    operator,
    administratorOf: (stream) => administratorOf(stream, { name: operator }),
    resources,
    pid: () => server?.pid ?? Number.NaN,
    start,
    stop,
    configure,
    async purge(stream, options) {
      const user = administratorOf(stream, { name: operator });
      const administrator = await connect({ servers: `nats://127.0.0.1:${port}`, user, pass: password });
      await (await jetstreamManager(administrator)).streams.purge(stream, options);
      await administrator.close();
    },
    wipe: () => rm(storeDir, { recursive: true, force: true }),
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

let guard: ProcessGuard | undefined;

/** Servers of tests live for seconds and need not collect garbage below this limit. */
const environment = { GOGC: 'off', GOMEMLIMIT: '256MiB' };

async function startServer(config: string, port: number, hasJetStream: boolean): Promise<ChildProcess> {
  const binary = process.env['BERTH_NATS_SERVER'] ?? 'nats-server';
  const server = spawn(binary, ['--config', config], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let output = '';
  server.stderr?.on('data', (chunk: Buffer) => {
    output = `${output}${chunk.toString()}`.slice(-4_000);
  });
  const { pid } = server;
  if (pid !== undefined) {
    // A test that dies must not leave its server behind.
    guard ??= startProcessGuard();
    guard.register(pid);
    server.once('exit', () => guard?.release(pid));
  }

  const failed = new Promise<never>((_, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        cause.code === 'ENOENT'
          ? new ServerUnavailable(`nats-server was not found (${binary}); run \`npm test\`, which provides it`, {
              cause,
            })
          : cause,
      ),
    );
    server.once('exit', (code) => reject(new ServerUnavailable(`nats-server ended with code ${code}:\n${output}`)));
  });
  failed.catch(() => undefined);
  await Promise.race([failed, accepting(port, hasJetStream)]);
  return server;
}

async function accepting(port: number, hasJetStream: boolean): Promise<void> {
  const end = performance.now() + 10_000;
  while (performance.now() < end) {
    const greets = greetsWithJetStream(port).then((has) => has || !hasJetStream);
    if (await greets.catch(() => false)) return;
    await sleep(20);
  }
  throw new ServerUnavailable(`nats-server does not listen on port ${port} after 10 s`);
}
