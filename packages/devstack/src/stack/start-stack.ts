import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Bug } from '@berth/contracts/errors';
import { createServiceDatabase } from '@berth/db/setup/create-service-database';
import { natsAccounts, type NatsOperator } from '@berth/bus/accounts/nats-accounts';
import { type CallerName, callerNames } from '@berth/contracts/definition/contract';
import { loginCallbackPath } from '@berth/contracts/resources/accounts/logins';
import { type ProcessGuard, startProcessGuard } from '@berth/process-guard/process-guard';
import { startKubernetes } from '../servers/kubernetes/kubernetes.ts';
import { type NatsServer, startNats } from '../servers/nats.ts';
import { people } from '../servers/oidc/people.ts';
import { startOidc } from '../servers/oidc.ts';
import { startPostgres } from '../servers/postgres.ts';
import { startRegistry } from '../servers/registry.ts';
import { rememberedPorts, rememberedSecrets } from '../servers/remembered.ts';
import type { RunningServer, ServerStart } from '../servers/server-process.ts';
import { ensureTools } from '../tools/ensure-tools.ts';
import { type StackToolName, toolNames } from '../tools/tool-table.ts';
import { createPart, type Part } from './part.ts';
import { type ServiceStart, startService } from './service-process.ts';
import { type Surroundings, schemaOf, serviceProcesses, withDatabase } from './service-settings.ts';

export interface StackStart {
  /** The folder for all state. */
  stateFolder: string;
  env: NodeJS.ProcessEnv;
  log: (words: string) => void;
  signal: AbortSignal;
  /** A cluster to be used instead of the embedded one. */
  cluster?: { kubeconfigFile: string; context: string } | undefined;
  /** False gives up durability for speed; for tests only. */
  durable?: boolean;
  overrides?: Surroundings['overrides'];
  /** For tests that inspect the servers. */
  natsOperator?: NatsOperator;
  /** Starts a service; by default as a process, from source. */
  startService?: (service: ServiceStart) => Promise<RunningServer>;
}

type ServerName = 'postgres' | 'nats' | 'registry' | 'oidc' | 'kubernetes';

export interface Stack {
  readonly url: string;
  readonly stateFolder: string;
  readonly tools: Record<StackToolName, string>;
  readonly registry: { url: string };
  /** Name of the cluster, which is also the context of its kubeconfig. */
  readonly cluster: string;
  readonly kubeconfigFile: string;
  readonly people: readonly { name: string; email: string }[];
  readonly nats: { url: string; storeFolder: string; passwords: Record<CallerName, string> };
  /** The addresses of health pages and metrics by service. */
  readonly healthPorts: Record<CallerName, number>;
  readonly databaseAdminUrl: string;
  readonly databaseUrls: Record<string, string>;
  /** A server or service that can be ended and started again. */
  part(name: ServerName | CallerName): Part;
  /** Starts another runner in a folder of its own. */
  addRunner(name: string): Promise<Part>;
  /** Resolves to a message for the user if a part ends unexpectedly. */
  readonly died: Promise<Error>;
  stop(): Promise<void>;
}

/** Time limit for starting a part of the platform, and for the first requests to it. */
export const readyWithinMs = 120_000;
const clientId = 'berth';

/** Starts the whole platform on this machine. If a part fails, those started before it are stopped. */
export async function startStack(options: StackStart): Promise<Stack> {
  const guard = startProcessGuard();
  const parts: Part[] = [];
  const stop = async () => {
    // Clients come before their servers.
    for (const part of parts.toReversed()) await part.stop();
    await guard.close();
  };
  try {
    return await bringUp(options, { guard, parts, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Ground {
  guard: ProcessGuard;
  parts: Part[];
  stop: () => Promise<void>;
}

async function bringUp(options: StackStart, { guard, parts, stop }: Ground): Promise<Stack> {
  const { stateFolder, env, log, signal, durable = true } = options;
  await mkdir(stateFolder, { recursive: true });
  const tools = await ensureTools({ names: toolNames, env, log, signal });
  const died = Promise.withResolvers<Error>();
  const byName = new Map<string, Part>();

  const start = (): ServerStart => ({
    stateFolder,
    guard,
    signal: AbortSignal.any([signal, AbortSignal.timeout(readyWithinMs)]),
  });
  const launch = async <S extends RunningServer>(name: string, run: (given: ServerStart) => Promise<S>): Promise<S> => {
    const part = createPart({ name, start: () => run(start()), onDeath: died.resolve });
    // Listed before it runs, so that a start that is cut short is stopped, too.
    parts.push(part);
    byName.set(name, part);
    await part.start();
    return part.server();
  };

  const known = await memory(stateFolder);
  const url = `http://127.0.0.1:${known.ports.gateway}`;
  log('starting PostgreSQL, NATS, registry, identity provider and cluster');
  const [postgres, nats, registry, oidc, kubernetes] = await Promise.all([
    launch('postgres', (given) => startPostgres({ ...given, durable })),
    launch('nats', (given) =>
      startNats({
        ...given,
        program: tools['nats-server'],
        accounts: natsAccounts({ passwords: known.nats, operator: options.natsOperator }),
      }),
    ),
    launch('registry', (given) =>
      startRegistry({
        ...given,
        program: tools.registry,
        notify: { url: `http://127.0.0.1:${known.ports.push}/events`, authorization: `Bearer ${known.secrets.push}` },
      }),
    ),
    launch('oidc', (given) => startOidc({ ...given, clientId, redirectUris: [`${url}${loginCallbackPath}`] })),
    options.cluster ? undefined : launch('kubernetes', (given) => startKubernetes({ ...given, tools, durable })),
  ]);

  const databaseUrls = await createServiceDatabase(postgres.adminUrl, {
    database: 'berth',
    alsoClose: ['postgres', 'template1'],
    services: withDatabase.map((service) => ({ name: schemaOf(service), password: known.database[service] })),
  });
  const kubeconfigFile = options.cluster?.kubeconfigFile ?? kubernetes?.kubeconfigFile ?? '';
  const surroundings: Surroundings = {
    url,
    gatewayPort: known.ports.gateway,
    natsUrl: nats.url,
    natsPasswords: known.nats,
    databaseUrls,
    keyEncryptionKeys: { auth: keyFrom(known.secrets.kek), tasks: keyFrom(known.secrets.secretsKek) },
    oidc: { issuer: oidc.issuer, clientId, clientSecret: oidc.clientSecret },
    adminEmail: people[0]?.email ?? '',
    registryUrl: registry.url,
    pushPort: known.ports.push,
    pushToken: known.secrets.push,
    kubeconfigFile,
    kubeContext: options.cluster?.context,
    helm: tools.helm,
    runnerFolder: join(stateFolder, 'runner'),
    overrides: options.overrides ?? {},
  };

  log('starting the services');
  const begin = options.startService ?? startService;
  const processes = serviceProcesses(surroundings);
  await Promise.all(
    processes.map((service) =>
      launch(service.name, (given) => begin({ ...given, ...service, healthPort: known.health[service.name] })),
    ),
  );

  const part = (name: string): Part => {
    const found = byName.get(name);
    if (!found) throw new Bug(`the stack has no part named ${name}`);
    return found;
  };
  return {
    url,
    stateFolder,
    tools,
    registry,
    cluster: options.cluster?.context ?? kubernetes?.context ?? '',
    kubeconfigFile,
    people,
    nats: { url: nats.url, storeFolder: (nats satisfies NatsServer).storeFolder, passwords: known.nats },
    healthPorts: known.health,
    databaseAdminUrl: postgres.adminUrl,
    databaseUrls,
    part,
    async addRunner(name) {
      const runner = processes.find((process) => process.name === 'runner');
      if (!runner) throw new Bug('the stack has no runner');
      const { health } = await rememberedPorts(join(stateFolder, `${name}.ports.json`), ['health']);
      const settings = { ...runner.settings, RUNNER_FOLDER: join(stateFolder, name), RUNNER_NAME: name };
      await launch(name, (given) => begin({ ...given, ...runner, name, settings, healthPort: health }));
      return part(name);
    },
    died: died.promise,
    stop,
  };
}

const keyFrom = (secret: string): string => createHash('sha256').update(secret).digest('base64');

/** Ports and secrets that stay the same across starts. */
async function memory(stateFolder: string) {
  const [ports, health, nats, database, secrets] = await Promise.all([
    rememberedPorts(join(stateFolder, 'ports.json'), ['gateway', 'push']),
    rememberedPorts(join(stateFolder, 'health-ports.json'), callerNames),
    rememberedSecrets(join(stateFolder, 'nats-users.json'), callerNames),
    rememberedSecrets(join(stateFolder, 'database-roles.json'), withDatabase),
    rememberedSecrets(join(stateFolder, 'secrets.json'), ['push', 'kek', 'secretsKek']),
  ]);
  return { ports, health, nats, database, secrets };
}
