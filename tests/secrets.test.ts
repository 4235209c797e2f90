import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { unwrap, waitUntil } from '@berth/client';
import { createHello, waitForRunning } from '@berth/devstack/journey/hello-deployment';
import { pushChart, sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import { administratorOf } from '@berth/shared/bus/accounts/nats-accounts';
import type { JsonObject } from '@berth/shared/contracts/json';
import type { DeploymentResource } from '@berth/shared/contracts/resources/deployment-resources';
import type { CoreV1Api } from '@kubernetes/client-node';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixtureChart } from './setup/fixture-chart.ts';
import { type NameServer, startNameServer } from './setup/name-server.ts';
import { type Platform, startPlatform } from './setup/platform.ts';
import { kubeClient } from './setup/slow-deployment.ts';
import { startVaultWorkload, type VaultWorkload } from './setup/vault-workload.ts';

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
/** Sensitive props of a resource, the first and the second, and what a call for it was authenticated by. */
const props: [string, string] = [randomBytes(20).toString('hex'), randomBytes(20).toString('hex')];
let callToken = '';
let workload: VaultWorkload;
let names: NameServer;

beforeAll(async () => {
  workload = await startVaultWorkload();
  names = await startNameServer();
  const runner = {
    CALL_CA: workload.ca,
    CALL_PORT: String(workload.port),
    CALL_ALLOW_ADDRESSES: '127.0.0.1',
    CALL_NAME_SERVERS: names.address,
  };
  platform = await startPlatform({ natsOperator: operator, overrides: { runner } });
  const users = [operator.name, ...streams.map((stream) => administratorOf(stream, operator))];
  const servers = platform.stack.nats.url;
  const accounts = await Promise.all(users.map((user) => connect({ servers, user, pass: operator.password })));
  recording = Promise.all([recordProcesses(), ...accounts.map(recordMessages)]);
});
afterAll(async () => {
  stopRecording.abort();
  await recording;
  await platform?.[Symbol.asyncDispose]();
  await workload?.[Symbol.asyncDispose]();
  await names?.[Symbol.asyncDispose]();
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
    expect(dump.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(['tasks.secrets', 'tasks.deployment_resources']),
    );
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

const vaultTypes = `
- apiVersion: berth.dev/v1beta1
  kind: ResourceType
  key: vault
  spec:
    name_singular: Vault
    name_plural: Vaults
    iconset_icon: lock
    values_ui:
      inputs:
        - { id: size, type: number, label: Size, required: true }
        - { id: password, type: text, label: Password, sensitive: true }
    lifecycle:
      create: { target: { endpoint: standard_ingress, path: /vaults, method: POST } }
      update: { target: { endpoint: standard_ingress, path: /vaults, method: PUT } }
      delete: { target: { endpoint: standard_ingress, path: /vaults, method: DELETE } }
`;
const form = (rest: string) => `apiVersion: berth.dev/v1beta1\nkind: ValuesUi\n${rest}`;
const noInputs = form('inputs: []\n');
const vaultInput = form(`
inputs:
  - { id: vault, type: CollectionSelect, label: Vault, collection: { deployment: Vaults, type: vault } }
outputs:
  values:
    - { path: [podAnnotations, vault], value: { FieldProperty: { input: vault, property: name } } }
  secrets:
    vault-login:
      password: { FieldProperty: { input: vault, property: password } }
`);
const features = `
apiVersion: berth.dev/v1beta2
kind: Features
spec:
  ingress: { enabled: true, hostname_format: Name }
`;

/** Pushes a copy of the sample chart with these extension files, and waits until the catalogue has it. */
async function pushedChart(name: string, files: Record<string, string>) {
  const { admin, stack } = platform;
  const signal = AbortSignal.timeout(60_000);
  await using chart = await fixtureChart({ name, base: sampleChart.folder, files });
  await pushChart({ ...stack, folder: chart.folder, signal });
  return waitUntil(
    async () => {
      const [registry] = unwrap(await admin.helmRegistries.list({ query: { repo_name: `charts/${name}` } })).items;
      const query = { helm_registry_id: registry?.id ?? '' };
      const [found] = registry ? unwrap(await admin.helmCharts.list({ query })).items : [];
      if (found && found.error !== null) throw new Error(found.error);
      return registry && found && { kind_id: registry.kind_id, helm_chart_id: found.id };
    },
    { what: `the chart ${name} in the catalogue`, withinMs: 60_000, longestPauseMs: 500 },
  );
}

test('a resource is created, updated and deleted by calls into the workload that manages it, which believes the platform alone', async () => {
  const { admin, stack } = platform;
  const { cluster } = await platform.sample('secrets');
  unwrap(await admin.k8sClusters.update({ id: cluster.id, body: { ingress_domain: workload.host.domain } }));
  const managing = await pushedChart('vaults', {
    'berth/values-ui.yaml': noInputs,
    'berth/features.yaml': features,
    'berth/resources.yaml': vaultTypes,
  });
  const using = await pushedChart('vault-user', { 'berth/values-ui.yaml': vaultInput });
  const deploy = async (chart: typeof using, name: string, config: JsonObject) => {
    const body = { ...chart, name, cluster_id: cluster.id, config, values_override: null };
    const { id, namespace } = unwrap(await admin.deployments.create({ body }));
    await waitForRunning(admin, id);
    return { id, namespace };
  };
  const manager = await deploy(managing, workload.host.name, {});
  workload.trust = { url: stack.url, audience: manager.id };
  const [type] = unwrap(await admin.deploymentResourceTypes.list({ query: { key: 'vault' } })).items;
  const create = async (name: string) =>
    unwrap(
      await admin.deploymentResources.create({
        body: {
          type_id: type?.id ?? '',
          deployment_id: manager.id,
          name,
          props: { size: 1, password: props[0] },
        },
      }),
    );
  const until = (id: string, what: string, holds: (row: DeploymentResource) => boolean) =>
    waitUntil(
      async () => {
        const row = unwrap(await admin.deploymentResources.get({ id }));
        return holds(row) && row;
      },
      { what: `the resource to be ${what}`, withinMs: 60_000, longestPauseMs: 300 },
    );

  const { id } = await create('main');
  const made = await until(id, 'Ready', ({ sync_status }) => sync_status === 'Ready');
  expect(made).toMatchObject({ props: { size: 1 }, exists: true, sync_reason: null });
  expect(workload.refused).toEqual([]);
  expect(workload.vaults.get(id)).toMatchObject({ name: 'main', props: { size: 1, password: props[0] } });
  callToken = workload.calls[0]?.token ?? '';
  const forged = await fetch(`${stack.url}/api/v2/envs`, { headers: { authorization: `Bearer ${callToken}` } });
  expect(forged.status).toBe(401);

  const user = await deploy(using, 'user', { vault: id });
  const core = kubeClient(stack);
  const password = async () => {
    const { data } = await core.readNamespacedSecret({ namespace: user.namespace, name: 'vault-login' });
    return Buffer.from(data?.['password'] ?? '', 'base64').toString();
  };
  expect(await password()).toBe(props[0]);

  workload.mood = { status: 503, words: ({ token, body }) => `not now: ${token} ${body}` };
  unwrap(await admin.deploymentResources.update({ id, body: { props: { size: 2, password: props[1] } } }));
  const failing = await until(id, 'failing', ({ sync_reason }) => sync_reason !== null);
  expect(failing).toMatchObject({ sync_status: 'Updating', props: { size: 2 } });
  expect(failing.sync_reason).toMatch(/^The deployment answered 503: not now: \*\*\* /);
  for (const secret of [...props, workload.calls.at(-1)?.token ?? ''])
    expect(failing.sync_reason).not.toContain(secret);
  workload.mood = null;
  await until(id, 'Ready again', ({ sync_status }) => sync_status === 'Ready');
  expect(workload.vaults.get(id)?.props).toEqual({ size: 2, password: props[1] });
  await waitUntil(async () => (await password()) === props[1], {
    what: 'the dependent to be installed again',
    withinMs: 180_000,
  });

  workload.mood = { status: 400, words: ({ token }) => `no such size: ${token}` };
  const refused = await create('refused');
  const error = await until(refused.id, 'refused', ({ sync_status }) => sync_status === 'Error');
  expect(error.sync_reason).toBe('The deployment answered 400: no such size: ***');
  workload.mood = null;

  expect(await admin.deploymentResources.delete({ id })).toMatchObject({ problem: { status: 409 } });
  unwrap(await admin.deployments.update({ id: user.id, body: { enabled: false } }));
  unwrap(await admin.deploymentResources.delete({ id }));
  await until(id, 'deleted', ({ exists }) => !exists);
  expect(workload.vaults.has(id)).toBe(false);
  expect((await create('main')).id).not.toBe(id);
  expect(workload.refused).toEqual([]);
});

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
    'sensitive prop': props[0],
    'new sensitive prop': props[1],
    'token of a call': callToken,
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
  const taskFolders = join(stack.stateFolder, 'runner', 'tasks');
  // Tasks of the other test may still run, and hold what they work with.
  await waitUntil(async () => (await readdir(taskFolders)).length === 0, {
    what: 'the runner to remove the folders of its tasks',
    withinMs: 120_000,
  });
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
  expect(new Set(requestsWith(props[0]))).toEqual(new Set(['rpc.v1.tasks.api-gateway.deployment_resources.create']));
  expect(requestsWith(props[1])).toEqual(['rpc.v1.tasks.api-gateway.deployment_resources.update']);
  // The test itself has tried it as a credential.
  expect(requestsWith(callToken)).toEqual(['rpc.v1.auth.api-gateway.identities.authenticate']);
  for (const text of [...contents, ...props]) {
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
