import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { unwrap } from '@berth/client';
import { createHello, waitForRunning } from '@berth/devstack/journey/hello-deployment';
import { administratorOf } from '@berth/shared/bus/connection/nats-accounts';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Platform, startPlatform } from './setup/platform.ts';

const operator = { name: 'operator', password: 'listening-in-for-a-test' };
const streams = ['STATE_auth', 'STATE_tasks', 'STATE_cluster-sync', 'STATE_registry-scan', 'EVENTS', 'OBJ_charts'];

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

/** Everything that is published in the account of this connection. */
async function recordMessages(nc: NatsConnection): Promise<void> {
  stopRecording.signal.addEventListener('abort', () => void nc.close(), { once: true });
  for await (const message of nc.subscribe('>')) {
    const headers = [...(message.headers ?? [])].map(([name, values]) => `${name}: ${values.join(',')}`).join('\n');
    recorded.push({ subject: message.subject, text: `${headers}\n${message.string()}` });
  }
}

/** Arguments and environment of every process of the machine, until the test ends. */
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
  const { id } = await createHello(admin, sample, 'quiet');
  await waitForRunning(admin, id);
  const [task] = unwrap(await admin.deploymentTasks.list({ query: { deployment_id: id } })).items;
  const log = await unwrap(await admin.deploymentTasks.log({ id: task?.id ?? '' })).text();

  canaries = {
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

  for (const [name, canary] of Object.entries(canaries)) {
    expect(canary.length, name).toBeGreaterThan(15);
    expect(holding(logs, canary), `${name} in a log`).toEqual([]);
    expect(log.includes(canary), `${name} in a task log`).toBe(false);
    expect(holding(processes, canary), `${name} in arguments or environment of a process`).toEqual([]);
    expect(holding(taskFiles, canary), `${name} in a file left behind`).toEqual([]);
  }

  // On the bus a secret is only in the call that needs it: to authenticate, or in the answer that creates or issues it.
  const requestsWith = (canary: string) => holding(bus, canary).filter((subject) => !subject.startsWith('_INBOX_'));
  for (const name of ['user token', 'bot token', 'session']) {
    expect([...new Set(requestsWith(canaries[name] ?? ''))], name).toEqual([
      'rpc.v1.auth.api-gateway.identities.authenticate',
    ]);
  }
  for (const name of [
    'client secret',
    'key encryption key',
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
  expect(recorded.some(({ subject }) => subject.startsWith('state_v1.'))).toBe(true);
});
