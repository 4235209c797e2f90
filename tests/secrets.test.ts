import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { askForHello, untilRunning } from '@berth/devstack/journey/hello-deployment';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Platform, startPlatform } from './setup/platform.ts';

const observer = {
  name: 'observer',
  password: 'listening-in-for-a-test',
  permissions: { publish: { allow: ['>'] }, subscribe: { allow: ['>'] } },
};

interface Heard {
  subject: string;
  text: string;
}

let platform: Platform;
const heard: Heard[] = [];
const seenOfProcesses = new Set<string>();
const stopLooking = new AbortController();
let looking: Promise<unknown>;
let canaries: Record<string, string>;

beforeAll(async () => {
  platform = await startPlatform({ natsObservers: [observer] });
  const nc = await connect({ servers: platform.stack.nats.url, user: observer.name, pass: observer.password });
  const listening = (async () => {
    for await (const message of nc.subscribe('>')) {
      const headers = [...(message.headers ?? [])].map(([name, values]) => `${name}: ${values.join(',')}`).join('\n');
      heard.push({ subject: message.subject, text: `${headers}\n${message.string()}` });
    }
  })();
  looking = Promise.all([lookAtProcesses(), listening]);
  stopLooking.signal.addEventListener('abort', () => void nc.close(), { once: true });
});
afterAll(async () => {
  stopLooking.abort();
  await looking;
  await platform[Symbol.asyncDispose]();
});

/** Arguments and environment of every process of the machine, all the time. */
async function lookAtProcesses(): Promise<void> {
  while (!stopLooking.signal.aborted) {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
    for (const pid of pids) {
      for (const file of ['cmdline', 'environ']) {
        const text = await readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
        if (text !== '') seenOfProcesses.add(text);
      }
    }
    await delay(50);
  }
}

async function filesBelow(folder: string, ending: string): Promise<Heard[]> {
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

const holding = (places: Heard[], canary: string) =>
  places.filter(({ text }) => text.includes(canary)).map(({ subject }) => subject);

test('after a day in the life of the platform no secret is found where it does not belong', async () => {
  const { admin, stack } = platform;
  const grace = await platform.person('grace');
  const { created_token } = await grace.api.send(
    'POST',
    '/user-tokens',
    { user_id: null },
    z.object({ created_token: z.string() }),
  );
  const bot = await admin.send('POST', '/bots', { display_name: 'CI' }, z.looseObject({ id: z.uuid() }));
  const botToken = await admin.send('POST', '/bot-tokens', { bot_id: bot.id }, z.object({ created_token: z.string() }));
  for (const token of [created_token, botToken.created_token]) {
    await fetch(`${stack.url}/api/v2/envs`, { headers: { 'x-service-token': token } });
    await fetch(`${stack.url}/api/v2/envs`, { headers: { 'x-service-token': `${token}x` } });
  }
  const sample = await platform.sample('secrets');
  const running = await untilRunning(admin, (await askForHello(admin, sample, 'quiet')).id);
  const [task] = await admin.list(`/deployment-tasks?deployment_id=${running.id}`, z.looseObject({ id: z.uuid() }));
  let log = '';
  for await (const line of admin.lines(`/deployment-tasks/${task?.id}/log`)) log += `${line}\n`;

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
        heard.find(({ text }) => text.includes('"kubeconfig":'))?.text ?? '',
      )?.[1] ?? '',
  };
  const logs = [
    ...(await filesBelow(join(stack.stateFolder, 'services'), '.log')),
    ...(await filesBelow(stack.stateFolder, 'nats.log')),
  ];
  const processes = [...seenOfProcesses].map((text) => ({ subject: text.slice(0, 80), text }));
  const taskFiles = await filesBelow(join(stack.stateFolder, 'runner', 'tasks'), '');
  const bus = heard.filter(({ subject }) => !subject.startsWith('$'));

  for (const [name, canary] of Object.entries(canaries)) {
    expect(canary.length, name).toBeGreaterThan(15);
    expect(holding(logs, canary), `${name} in a log`).toEqual([]);
    expect(log.includes(canary), `${name} in a task log`).toBe(false);
    expect(holding(processes, canary), `${name} in arguments or environment of a process`).toEqual([]);
    expect(holding(taskFiles, canary), `${name} in a file left behind`).toEqual([]);
  }

  // On the bus each stands only in the call that needs it: those that authenticate, the answer that creates or issues it.
  const questions = (canary: string) => holding(bus, canary).filter((subject) => !subject.startsWith('_INBOX_'));
  for (const name of ['user token', 'bot token', 'session']) {
    expect([...new Set(questions(canaries[name] ?? ''))], name).toEqual([
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
  expect(questions(canaries['issued cluster token'] ?? '')).toEqual([]);
  const answers = holding(bus, canaries['issued cluster token'] ?? '');
  expect(answers.length).toBeGreaterThan(0);
  for (const subject of answers) expect(subject).toMatch(/^_INBOX_(runner|tasks)\./);
  expect(heard.some(({ subject }) => subject.startsWith('state_v1.'))).toBe(true);
});
