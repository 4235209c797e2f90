import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { unwrap, waitUntil } from '@berth/client';
import { createHello, waitForRunning } from '@berth/devstack/journey/hello-deployment';
import { administratorOf } from '@berth/shared/bus/accounts/nats-accounts';
import type { CoreV1Api } from '@kubernetes/client-node';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Platform, startPlatform } from './setup/platform.ts';
import { kubeClient } from './setup/slow-deployment.ts';

const operator = { name: 'operator', password: 'listening-in-for-a-test' };
const streams = ['STATE_auth', 'STATE_tasks', 'STATE_cluster-sync', 'STATE_registry-scan', 'ROW_EVENTS', 'OBJ_charts'];

interface Recorded {
  subject: string;
  text: string;
}

let platform: Platform;
const recorded: Recorded[] = [];
const processTexts = new Set<string>();
const stopRecording = new AbortController();
let recording: Promise<unknown>;
let canaries: Record<string, string>;

beforeAll(async () => {
  platform = await startPlatform({ natsOperator: operator });
  const users = [operator.name, ...streams.map((stream) => administratorOf(stream, operator))];
  const servers = platform.stack.nats.url;
  const accounts = await Promise.all(users.map((user) => connect({ servers, user, pass: operator.password })));
  recording = Promise.all([recordProcesses(), ...accounts.map(recordMessages)]);
});
afterAll(async () => {
  stopRecording.abort();
  await recording;
  await platform[Symbol.asyncDispose]();
});

/** Records everything that is published in the account of this connection. */
async function recordMessages(nc: NatsConnection): Promise<void> {
  stopRecording.signal.addEventListener('abort', () => void nc.close(), { once: true });
  for await (const message of nc.subscribe('>')) {
    const headers = [...(message.headers ?? [])].map(([name, values]) => `${name}: ${values.join(',')}`).join('\n');
    recorded.push({ subject: message.subject, text: `${headers}\n${message.string()}` });
  }
}

/** Records arguments and environment of every process on the machine until the test ends. */
async function recordProcesses(): Promise<void> {
  while (!stopRecording.signal.aborted) {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
    for (const pid of pids) {
      for (const file of ['cmdline', 'environ']) {
        const text = await readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
        if (text !== '') processTexts.add(text);
      }
    }
    await delay(50);
  }
}

async function filesBelow(folder: string, ending: string): Promise<Recorded[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(ending));
  return Promise.all(
    files.map(async ({ parentPath, name }) => ({
      subject: join(parentPath, name),
      text: await readFile(join(parentPath, name), 'utf8'),
    })),
  );
}

/** Every row of every schema as text, table by table. */
async function databaseDump(): Promise<Recorded[]> {
  const { databaseAdminUrl } = platform.stack;
  const client = new Client({
    connectionString: Object.assign(new URL(databaseAdminUrl), { pathname: '/berth' }).href,
  });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(`
      select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'
    `);
    const dump: Recorded[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(`select t::text as text from ${name} t`);
      dump.push({ subject: name, text: rows.map(({ text }) => text).join('\n') });
    }
    expect(dump.map(({ subject }) => subject)).toContain('tasks.secrets');
    return dump;
  } finally {
    await client.end();
  }
}

/** The release that Helm recorded and the config maps of the namespace; not the Secret that is meant to hold a secret. */
async function objectsOf(core: CoreV1Api, namespace: string): Promise<Recorded[]> {
  const { stack } = platform;
  const target = ['--namespace', namespace, '--kubeconfig', stack.kubeconfigFile, '--kube-context', stack.cluster];
  const { stdout: release } = await run(stack.tools.helm, ['get', 'all', namespace, ...target]);
  const { items } = await core.listNamespacedConfigMap({ namespace });
  expect(release).toContain('token-changed-at');
  return [
    { subject: 'release', text: release },
    { subject: 'config maps', text: JSON.stringify(items) },
  ];
}

const run = promisify(execFile);

const secretFile = (service: string, variable: string) =>
  readFile(join(platform.stack.stateFolder, 'services', `${service}.secrets`, variable), 'utf8');

const holding = (places: Recorded[], canary: string) =>
  places.filter(({ text }) => text.includes(canary)).map(({ subject }) => subject);

test('no secret is in a log, a process, a file or a message that does not need it', async () => {
  const { admin, stack } = platform;
  const grace = await platform.person('grace');
  const { created_token } = unwrap(await grace.api.userTokens.create({ body: { user_id: null } }));
  const bot = unwrap(await admin.bots.create({ body: { display_name: 'CI' } }));
  const botToken = unwrap(await admin.botTokens.create({ body: { bot_id: bot.id } }));
  for (const token of [created_token, botToken.created_token]) {
    await fetch(`${stack.url}/api/v2/envs`, { headers: { 'x-service-token': token } });
    await fetch(`${stack.url}/api/v2/envs`, { headers: { 'x-service-token': `${token}x` } });
  }
  const sample = await platform.sample('secrets');
  const contents = [randomBytes(20).toString('hex'), randomBytes(20).toString('hex')] as const;
  const secret = unwrap(
    await admin.secrets.create({
      body: { env_id: sample.cluster.env_id ?? '', collection: 'tokens', name: 'hello', contents: contents[0] },
    }),
  );
  const { id, config, namespace } = await createHello(admin, sample, 'quiet', { token: secret.id });
  await waitForRunning(admin, id);
  const core = kubeClient(stack);
  const token = async (name = 'hello-web', key = 'token') => {
    const { data } = await core.readNamespacedSecret({ namespace, name });
    return Buffer.from(data?.[key] ?? '', 'base64').toString();
  };
  expect(await token()).toBe(contents[0]);

  unwrap(await admin.secrets.update({ id: secret.id, body: { contents: contents[1] } }));
  const reinstall = unwrap(await admin.deploymentTasks.list({ query: { deployment_id: id } })).items[0];
  expect(reinstall?.operation).toEqual({
    Reinstall: { reason: 'The secret tokens/hello, which it uses, has changed' },
  });
  await waitUntil(async () => unwrap(await admin.deploymentTasks.get({ id: reinstall?.id ?? '' })).status === 'Done', {
    what: 'the deployment to be installed again',
    withinMs: 180_000,
  });
  expect(await token()).toBe(contents[1]);
  expect(config).toMatchObject({ token: secret.id });
  const [task] = unwrap(await admin.deploymentTasks.list({ query: { deployment_id: id } })).items;
  const log = await unwrap(await admin.deploymentTasks.log({ id: task?.id ?? '' })).text();

  canaries = {
    'contents of a secret': contents[0],
    'new contents of a secret': contents[1],
    'key of secrets': await secretFile('tasks', 'KEY_ENCRYPTION_KEY'),
    'user token': created_token.split('.')[1] ?? '',
    'bot token': botToken.created_token.split('.')[1] ?? '',
    session: grace.session,
    'client secret': await secretFile('auth', 'OIDC_CLIENT_SECRET'),
    'key encryption key': await secretFile('auth', 'KEY_ENCRYPTION_KEY'),
    'database password': new URL(await secretFile('tasks', 'DATABASE_URL')).password,
    'NATS password': await secretFile('runner', 'NATS_PASSWORD'),
    'push token': await secretFile('registry-scan', 'PUSH_TOKEN'),
    'kubeconfig key':
      /client-key-data"?: *"?([A-Za-z0-9+/=]{40})/.exec(await readFile(stack.kubeconfigFile, 'utf8'))?.[1] ?? '',
    'deployment token': await token('service-creds', 'access_token'),
    'issued cluster token':
      /token\\?"?: *\\?"?([A-Za-z0-9._-]{40,})/.exec(
        recorded.find(({ text }) => text.includes('"kubeconfig":'))?.text ?? '',
      )?.[1] ?? '',
  };
  const logs = [
    ...(await filesBelow(join(stack.stateFolder, 'services'), '.log')),
    ...(await filesBelow(stack.stateFolder, 'nats.log')),
  ];
  const processes = [...processTexts].map((text) => ({ subject: text.slice(0, 80), text }));
  const taskFiles = await filesBelow(join(stack.stateFolder, 'runner', 'tasks'), '');
  const bus = recorded.filter(({ subject }) => !subject.startsWith('$'));
  const stores = [
    ...(await filesBelow(stack.nats.storeFolder, '')),
    ...(await databaseDump()),
    ...(await objectsOf(core, namespace)),
  ];

  for (const [name, canary] of Object.entries(canaries)) {
    expect(canary.length, name).toBeGreaterThan(15);
    expect(holding(logs, canary), `${name} in a log`).toEqual([]);
    expect(log.includes(canary), `${name} in a task log`).toBe(false);
    expect(holding(processes, canary), `${name} in arguments or environment of a process`).toEqual([]);
    expect(holding(taskFiles, canary), `${name} in a file left behind`).toEqual([]);
    expect(holding(stores, canary), `${name} in a database, a stream or an object of Kubernetes`).toEqual([]);
  }

  // On the bus a secret is only in the request that authenticates with it, and in the answer that creates or issues it.
  const requestsWith = (canary: string) => holding(bus, canary).filter((subject) => !subject.startsWith('_INBOX_'));
  for (const name of ['user token', 'bot token', 'session']) {
    expect([...new Set(requestsWith(canaries[name] ?? ''))], name).toEqual([
      'rpc.v1.auth.api-gateway.identities.authenticate',
    ]);
  }
  expect(requestsWith(contents[0])).toEqual(['rpc.v1.tasks.api-gateway.secrets.create']);
  expect(requestsWith(contents[1])).toEqual(['rpc.v1.tasks.api-gateway.secrets.update']);
  for (const text of contents) {
    const answers = holding(bus, text).filter((subject) => subject.startsWith('_INBOX_'));
    expect(answers.length).toBeGreaterThan(0);
    for (const subject of answers) expect(subject).toMatch(/^_INBOX_runner\./);
  }
  for (const name of [
    'client secret',
    'key encryption key',
    'key of secrets',
    'database password',
    'NATS password',
    'push token',
    'kubeconfig key',
  ]) {
    expect(holding(bus, canaries[name] ?? ''), name).toEqual([]);
  }
  expect(requestsWith(canaries['issued cluster token'] ?? '')).toEqual([]);
  const answers = holding(bus, canaries['issued cluster token'] ?? '');
  expect(answers.length).toBeGreaterThan(0);
  for (const subject of answers) expect(subject).toMatch(/^_INBOX_(runner|tasks)\./);
  expect(requestsWith(canaries['deployment token'] ?? '')).toEqual([]);
  const issued = holding(bus, canaries['deployment token'] ?? '');
  expect(issued.length).toBeGreaterThan(0);
  for (const subject of issued) expect(subject).toMatch(/^_INBOX_(cluster-sync|auth)\./);
  expect(recorded.some(({ subject }) => subject.startsWith('state_v1.'))).toBe(true);
});
