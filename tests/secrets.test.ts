import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { administratorOf } from '@berth/bus/accounts/nats-accounts';
import { unwrap, waitForTask, waitUntil } from '@berth/client';
import type { JsonObject } from '@berth/contracts/fields/json';
import type { K8sCluster } from '@berth/contracts/resources/clusters/k8s-clusters';
import type { DeploymentResource } from '@berth/contracts/resources/deployments/deployment-resources';
import type { Deployment, NewDeployment } from '@berth/contracts/resources/deployments/deployments';
import type { DeploymentPlan } from '@berth/contracts/resources/tasks/deployment-plans';
import { createHello, waitForRunning } from '@berth/devstack/journey/hello-deployment';
import { pushChart } from '@berth/devstack/journey/publish-sample-chart';
import { watchedProcesses } from '@berth/devstack/testing/watched-processes';
import type { CoreV1Api } from '@kubernetes/client-node';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { showcaseChart } from './setup/charts/showcase-chart.ts';
import { type ChartFiles, chartFolder } from './setup/charts/unusual-charts.ts';
import { upstreamChart } from './setup/charts/upstream-chart.ts';
import { type NameServer, startNameServer } from './setup/name-server.ts';
import { type Platform, startPlatform } from './setup/platform.ts';
import { kubeClient } from './setup/slow-deployment.ts';
import { everyAnswer, type Recorded, recordEvents } from './setup/sweep/every-answer.ts';
import { type GuardedRegistry, startGuardedRegistry } from './setup/sweep/guarded-registry.ts';
import { startVaultWorkload, type VaultWorkload } from './setup/workloads/vault-workload.ts';

const operator = { name: 'operator', password: 'listening-in-for-a-test' };
const streams = ['STATE_auth', 'STATE_tasks', 'STATE_cluster-sync', 'STATE_registry-scan', 'ROW_EVENTS', 'OBJ_charts'];

let platform: Platform;
const recorded: Recorded[] = [];
const processTexts = new Set<string>();
const stopRecording = new AbortController();
let recording: Promise<unknown>;
let canaries: Record<string, string>;
/** The first and the second sensitive props of a resource, and the token of a call for it. */
const props: [string, string] = [randomBytes(20).toString('hex'), randomBytes(20).toString('hex')];
let callToken = '';
let workload: VaultWorkload;
let names: NameServer;
let registry: GuardedRegistry;
let showcase: Showcase;
/** Answers of plans. */
const plans: Recorded[] = [];
/** Contents of secrets and sensitive props that occur only in the showcase. */
const ofShowcase = {
  secrets: [randomBytes(20).toString('hex'), randomBytes(20).toString('hex')],
  props: [randomBytes(20).toString('hex'), randomBytes(20).toString('hex')],
};
let showcaseNamespace = '';
/** A text in `values_override`: members of the env may read it where they read the deployment and its tasks. */
const override = `override-${randomBytes(20).toString('hex')}`;
const events: Recorded[] = [];

beforeAll(async () => {
  workload = await startVaultWorkload();
  names = await startNameServer();
  registry = await startGuardedRegistry();
  const runner = {
    CALL_CA: workload.ca,
    CALL_PORT: String(workload.port),
    CALL_ALLOW_ADDRESSES: '127.0.0.1',
    CALL_NAME_SERVERS: names.address,
  };
  platform = await startPlatform({
    natsOperator: operator,
    overrides: { runner, 'registry-scan': { REGISTRIES: registry.setting } },
  });
  registry.upstream = platform.stack.registry.url;
  const users = [operator.name, ...streams.map((stream) => administratorOf(stream, operator))];
  const servers = platform.stack.nats.url;
  const accounts = await Promise.all(users.map((user) => connect({ servers, user, pass: operator.password })));
  const following = recordEvents(callerOf({ 'x-service-token': platform.adminToken }), events, stopRecording.signal);
  recording = Promise.all([recordProcesses(), following, ...accounts.map(recordMessages)]);
  showcase = await startShowcase();
});
afterAll(async () => {
  stopRecording.abort();
  await recording;
  await platform?.[Symbol.asyncDispose]();
  await workload?.[Symbol.asyncDispose]();
  await names?.[Symbol.asyncDispose]();
  await registry?.[Symbol.asyncDispose]();
});

const callerOf = (headers: Record<string, string>) => ({ url: platform.stack.url, headers });

const metricsOfAll = (): Promise<Recorded[]> =>
  Promise.all(
    Object.entries(platform.stack.healthPorts).map(async ([service, port]) => ({
      subject: `metrics of ${service}`,
      text: await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
    })),
  );

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
  const due = watchedProcesses();
  while (!stopRecording.signal.aborted) {
    for (const pid of due().filter((other) => Number(other) !== process.pid)) {
      for (const file of ['cmdline', 'environ']) {
        const text = textIn(`/proc/${pid}/${file}`);
        if (text !== '') processTexts.add(text);
      }
    }
    await delay(50);
  }
}

/** The content of a file of /proc; empty if its process has ended. */
function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
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

/** Helm's release record and the ConfigMaps of the namespace, without the Secret that is meant to hold the contents. */
async function objectsOf(core: CoreV1Api, namespace: string): Promise<Recorded[]> {
  const { stack } = platform;
  const target = ['--namespace', namespace, '--kubeconfig', stack.kubeconfigFile, '--kube-context', stack.cluster];
  const { stdout: release } = await run(stack.tools.helm, ['get', 'all', namespace, ...target]);
  const { items } = await core.listNamespacedConfigMap({ namespace });
  expect(release).toMatch(/token-changed-at|of-showcase/);
  return [
    { subject: 'release', text: release },
    { subject: 'config maps', text: JSON.stringify(items) },
  ];
}

const run = promisify(execFile);

const secretFile = (service: string, variable: string) =>
  readFile(join(platform.stack.stateFolder, 'services', `${service}.secrets`, variable), 'utf8');

const holding = (recorded: Recorded[], canary: string) =>
  recorded.filter(({ text }) => text.includes(canary)).map(({ subject }) => subject);

interface Showcase {
  cluster: K8sCluster;
  /** The deployment whose ingress leads to the workload. */
  manager: Deployment;
  /** An installed deployment of the chart. */
  deploy(name: string, config: JsonObject): Promise<Deployment>;
  newDeployment(name: string, config: JsonObject): NewDeployment;
  createVault(name: string, props: JsonObject): Promise<DeploymentResource>;
}

/** The chart with every kind of input, and a deployment of it whose workload answers. */
async function startShowcase(): Promise<Showcase> {
  const { admin } = platform;
  const { cluster } = await platform.sample('secrets');
  unwrap(await admin.k8sClusters.update({ id: cluster.id, body: { ingress_domain: workload.host.domain } }));
  const chart = await publish('showcase', showcaseChart);
  const newDeployment: Showcase['newDeployment'] = (name, config) => ({
    ...chart,
    name,
    cluster_id: cluster.id,
    config: { title: name, ...config },
    values_override: null,
  });
  const deploy: Showcase['deploy'] = async (name, config) =>
    waitForRunning(admin, unwrap(await admin.deployments.create({ body: newDeployment(name, config) })).id);
  const manager = await deploy(workload.host.name, {});
  workload.trust = { url: platform.stack.url, audience: manager.id };
  const [type] = unwrap(await admin.deploymentResourceTypes.list({ query: { key: 'vault' } })).items;
  return {
    cluster,
    manager,
    deploy,
    newDeployment,
    createVault: async (name, props) =>
      unwrap(
        await admin.deploymentResources.create({
          body: { type_id: type?.id ?? '', deployment_id: manager.id, name, props },
        }),
      ),
  };
}

/** Pushes a chart and finds it in the catalogue. */
async function publish(name: string, files: ChartFiles) {
  const { admin, stack } = platform;
  await using folder = await chartFolder(name, files);
  await pushChart({ ...stack, folder: folder.folder, signal: AbortSignal.timeout(60_000) });
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

const untilResource = (id: string, what: string, holds: (row: DeploymentResource) => boolean) =>
  waitUntil(
    async () => {
      const row = unwrap(await platform.admin.deploymentResources.get({ id }));
      return holds(row) && row;
    },
    { what: `the resource to be ${what}`, withinMs: 60_000, longestPauseMs: 300 },
  );
const untilReady = (id: string) => untilResource(id, 'Ready', ({ sync_status }) => sync_status === 'Ready');

/** Data of the ConfigMaps and Secrets in a namespace that belong to a release, by kind and name. */
async function dataIn(namespace: string): Promise<Record<string, Record<string, string>>> {
  const core = kubeClient(platform.stack);
  const { items: maps } = await core.listNamespacedConfigMap({ namespace });
  const { items: secrets } = await core.listNamespacedSecret({ namespace });
  const decoded = (data: Record<string, string> = {}) =>
    Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
  return Object.fromEntries(
    [
      ...maps.map(({ metadata, data = {} }) => [`ConfigMap ${metadata?.name}`, data]),
      ...secrets
        .filter(({ type }) => type === 'Opaque')
        .map(({ metadata, data }) => [`Secret ${metadata?.name}`, decoded(data)]),
    ].filter(([name]) => name !== 'ConfigMap kube-root-ca.crt' && name !== 'Secret service-creds'),
  );
}

test('a resource is created, updated and deleted by calls into its managing workload, which accepts only tokens of the platform', async () => {
  const { admin, stack } = platform;
  const create = (name: string) => showcase.createVault(name, { size: 1, password: props[0] });

  const { id } = await create('main');
  const made = await untilReady(id);
  expect(made).toMatchObject({ props: { size: 1 }, exists: true, sync_reason: null });
  expect(workload.refused).toEqual([]);
  expect(workload.vaults.get(id)).toMatchObject({ name: 'main', props: { size: 1, password: props[0] } });
  callToken = workload.calls[0]?.token ?? '';
  const forged = await fetch(`${stack.url}/api/v2/envs`, { headers: { authorization: `Bearer ${callToken}` } });
  expect(forged.status).toBe(401);

  const user = await showcase.deploy('user', { vault: id });
  const password = async () => (await dataIn(user.namespace))['Secret logins']?.['vault'];
  expect(await password()).toBe(props[0]);

  workload.mood = { status: 503, words: ({ token, body }) => `not now: ${token} ${body}` };
  unwrap(await admin.deploymentResources.update({ id, body: { props: { size: 2, password: props[1] } } }));
  const failing = await untilResource(id, 'failing', ({ sync_reason }) => sync_reason !== null);
  expect(failing).toMatchObject({ sync_status: 'Updating', props: { size: 2 } });
  expect(failing.sync_reason).toMatch(/^The deployment answered 503: not now: \*\*\* /);
  for (const secret of [...props, workload.calls.at(-1)?.token ?? ''])
    expect(failing.sync_reason).not.toContain(secret);
  workload.mood = null;
  await untilReady(id);
  expect(workload.vaults.get(id)?.props).toEqual({ size: 2, password: props[1] });
  await waitUntil(async () => (await password()) === props[1], {
    what: 'the dependent to be installed again',
    withinMs: 180_000,
  });

  workload.mood = { status: 400, words: ({ token }) => `no such size: ${token}` };
  const refused = await create('refused');
  const error = await untilResource(refused.id, 'refused', ({ sync_status }) => sync_status === 'Error');
  expect(error.sync_reason).toBe('The deployment answered 400: no such size: ***');
  workload.mood = null;

  expect(await admin.deploymentResources.delete({ id })).toMatchObject({ problem: { status: 409 } });
  unwrap(await admin.deployments.update({ id: user.id, body: { enabled: false } }));
  unwrap(await admin.deploymentResources.delete({ id }));
  await untilResource(id, 'deleted', ({ exists }) => !exists);
  expect(workload.vaults.has(id)).toBe(false);
  expect((await create('main')).id).not.toBe(id);
  expect(workload.refused).toEqual([]);
});

function recordPlan(plan: DeploymentPlan): DeploymentPlan {
  plans.push({ subject: 'plan', text: JSON.stringify(plan) });
  return plan;
}

type Data = Awaited<ReturnType<typeof dataIn>>;

/** What happened to the objects, in the form of a plan, without values of Secrets. */
function changesBetween(before: Data, after: Data): unknown[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((object) => {
    const [old, now] = [before[object], after[object]];
    if (!old || !now) return [{ object, action: now ? 'create' : 'delete', fields: [] }];
    const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((key) => old[key] !== now[key]);
    if (keys.length === 0) return [];
    const field = (key: string) => {
      // Plans hide fields that are named like a token, too.
      if (object.startsWith('Secret') || key.startsWith('token')) return { key, hidden: true };
      return { key, ...(key in old && { before: old[key] }), ...(key in now && { after: now[key] }), hidden: false };
    };
    return [{ object, action: 'change', fields: keys.sort().map(field) }];
  });
}

const plannedChanges = ({ objects }: DeploymentPlan): unknown[] =>
  objects
    .filter(({ kind }) => kind !== 'Namespace')
    .map(({ action, kind, name, fields }) => ({
      object: `${kind} ${name}`,
      action,
      fields: fields
        .map(({ path, ...field }) => ({ key: path.replace('/data/', ''), ...field }))
        .sort((a, b) => (a.key < b.key ? -1 : 1)),
    }))
    .sort((a, b) => (a.object < b.object ? -1 : 1));

test('a deployment with every kind of input is created, updated and rolled back as its plans predict', async () => {
  const { admin } = platform;
  const { manager, newDeployment } = showcase;
  const [secretA = '', secretB = ''] = await Promise.all(
    ofShowcase.secrets.map(async (contents, index) => {
      const body = { env_id: manager.env_id, collection: 'tokens', name: `of-showcase-${index}`, contents };
      return unwrap(await admin.secrets.create({ body })).id;
    }),
  );
  const [vaultA = '', vaultB = ''] = await Promise.all(
    ofShowcase.props.map(async (password, index) => {
      const { id } = await showcase.createVault(`of-showcase-${index}`, { size: index + 1, password });
      return (await untilReady(id)).id;
    }),
  );
  const night = (schedule: string) => ({ run_days: '0,6', schedule });
  const first = {
    title: 'First',
    notes: ['a', 'b'],
    replicas: 3,
    ports: [80, 443],
    debug: true,
    flags: [true, false],
    size: 'small',
    sizes: ['small', 'large'],
    night: night('03:30'),
    nights: [night('01:00')],
    peer: manager.id,
    peers: [manager.id],
    token: secretA,
    tokens: [secretA, secretB],
    vault: vaultA,
    vaults: [vaultA, vaultB],
    extra: 'with debug',
    many: 'with more than two',
  };
  const second = {
    ...first,
    title: 'Second',
    notes: [],
    replicas: 2,
    ports: [443],
    debug: false,
    flags: [false],
    size: 'large',
    sizes: ['large'],
    night: night('04:00'),
    nights: [],
    peer: null,
    peers: [],
    token: secretB,
    tokens: [secretB],
    vault: vaultB,
    vaults: [vaultB, vaultA],
  };
  const body = newDeployment('showcase', first);
  const resolved = (values: JsonObject) => ({
    'by-default': '1',
    ...Object.fromEntries(Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)])),
  });
  const newestTask = async (deployment_id: string) => {
    const [task] = unwrap(await admin.deploymentTasks.list({ query: { deployment_id } })).items;
    return waitForTask(admin, task?.id ?? '', { withinMs: 120_000 });
  };

  const creation = recordPlan(unwrap(await admin.deploymentPlans.of_creation({ body })));
  const created = unwrap(await admin.deployments.create({ body }));
  const { id, namespace } = created;
  showcaseNamespace = namespace;
  await waitForRunning(admin, id);
  const install = await newestTask(id);
  const before = await dataIn(namespace);
  expect(plannedChanges(creation)).toEqual(changesBetween({}, before));
  expect(creation).toMatchObject({ etag: null, tasks: [{ operation: 'Install' }], reinstalls: [], unchanged: 0 });
  const peerOf = { peer: manager.name, peers: [manager.name] };
  const tokens = { token: 'of-showcase-0', tokens: ['of-showcase-0', 'of-showcase-1'] };
  const [contents, passwords] = [ofShowcase.secrets, ofShowcase.props];
  expect(before).toEqual({
    'ConfigMap resolved': resolved({ ...first, ...peerOf, ...tokens, vault: 1, vaults: [1, 2] }),
    'ConfigMap extra': { a: 'b' },
    'ConfigMap fixed': { a: 'b' },
    'Secret logins': {
      token: contents[0],
      tokens: JSON.stringify(contents),
      vault: passwords[0],
      vaults: JSON.stringify(passwords),
    },
  });

  const dependent = await showcase.deploy('depends-on-it', { peer: id });
  const changes = { config: second, values_override: { resolved: { overridden: true } } };
  const update = recordPlan(unwrap(await admin.deploymentPlans.of_update({ id, body: changes })));
  expect(await dataIn(namespace)).toEqual(before);
  unwrap(await admin.deployments.update({ id, body: changes }, { ifMatch: update.etag ?? '' }));
  expect(await newestTask(id)).toMatchObject({ status: 'Done', operation: { Upgrade: {} } });
  const after = await dataIn(namespace);
  expect(plannedChanges(update)).toEqual(changesBetween(before, after));
  expect(update).toMatchObject({
    tasks: [{ operation: 'Upgrade' }],
    reinstalls: [{ deployment_id: dependent.id }],
    unchanged: 1,
  });
  expect(await newestTask(dependent.id)).toMatchObject({ status: 'Done', operation: { Reinstall: {} } });
  const { extra: _extra, many: _many, peer: _peer, ...visible } = second;
  const names = { peers: [], token: 'of-showcase-1', tokens: ['of-showcase-1'] };
  expect(after).toEqual({
    'ConfigMap resolved': resolved({ ...visible, ...names, vault: 2, vaults: [2, 1], overridden: true }),
    'ConfigMap fixed': { a: 'b' },
    'Secret logins': {
      token: contents[1],
      tokens: JSON.stringify([contents[1]]),
      vault: passwords[1],
      vaults: JSON.stringify(passwords.toReversed()),
    },
  });
  const nothing = recordPlan(unwrap(await admin.deploymentPlans.of_update({ id, body: { config: { ...second } } })));
  expect(nothing).toMatchObject({ objects: [], tasks: [] });

  const rollback = unwrap(await admin.deploymentTasks.rollback({ id, body: { task_id: install.id } }));
  expect(await waitForTask(admin, rollback.id, { withinMs: 120_000 })).toMatchObject({ status: 'Done' });
  expect(await dataIn(namespace)).toEqual(before);
  expect(unwrap(await admin.deployments.get({ id }))).toMatchObject({ config: created.config, values_override: null });
});

/** A text, plain and encoded, without the ends of the encoding that depend on the surrounding text. */
const formsOf = (text: string): string[] => [
  text,
  encodeURIComponent(text),
  Buffer.from(text).toString('hex'),
  ...['', 'k', 'kk'].map((before) => Buffer.from(`${before}${text}`).toString('base64').slice(4, -4)),
];

test('secrets that a chart renders into its objects are not shown to anybody, nor are sensitive inputs of its actions', async () => {
  const { admin, stack } = platform;
  const random = () => randomBytes(10).toString('hex');
  const [contents, next, input] = [`conf-${random()}`, `conf-${random()}`, `${random()}+/&${random()}`];
  const chart = await publish('upstream', upstreamChart);
  const { env_id } = showcase.manager;
  const created = await Promise.all(
    [contents, next].map(async (text, index) =>
      unwrap(await admin.secrets.create({ body: { env_id, collection: 'conf', name: `c${index}`, contents: text } })),
    ),
  );
  const [token = '', other = ''] = created.map(({ id }) => id);
  const body = {
    ...chart,
    name: 'upstream',
    cluster_id: showcase.cluster.id,
    config: { token },
    values_override: { note: override },
  };
  const { id, namespace } = await waitForRunning(admin, unwrap(await admin.deployments.create({ body })).id);
  const plan = unwrap(await admin.deploymentPlans.of_update({ id, body: { config: { token: other } } }));
  const operation = {
    InvokeAction: { helm_chart_id: chart.helm_chart_id, action_id: 'unlock', body: { password: input, who: 'ada' } },
  };
  const invoked = unwrap(await admin.deploymentTasks.create({ body: { deployment_id: id, operation } }));
  const ended = await waitForTask(admin, invoked.id, { withinMs: 120_000 });
  const message = `Get "http://h/?k=${encodeURIComponent(contents)}" ${Buffer.from(`k:${contents}`).toString('base64')}`;
  await kubeClient(stack).createNamespacedEvent({
    namespace,
    body: {
      metadata: { name: 'probe', namespace },
      involvedObject: { kind: 'Service', name: 'web', namespace },
      reason: 'Unhealthy',
      message,
      type: 'Warning',
    },
  });
  const resources = await waitUntil(
    async () => {
      const page = unwrap(await admin.k8sResources.list({ query: { deployment_id: id } }));
      return (
        page.items.some(({ kind }) => kind === 'Service') && page.items.some(({ kind }) => kind === 'Ingress') && page
      );
    },
    { what: 'the objects of the deployment to be tracked', withinMs: 60_000 },
  );
  const events = unwrap(await admin.deployments.k8s_events({ id, query: {} }));
  const tasks = unwrap(await admin.deploymentTasks.list({ query: { deployment_id: id } }));
  const logs = await Promise.all(
    tasks.items.map(async (task) => unwrap(await admin.deploymentTasks.log({ id: task.id })).text()),
  );

  expect(ended.operation).toMatchObject({ InvokeAction: { body: { password: '***', who: 'ada' } } });
  expect(plan.objects.length).toBeGreaterThan(0);
  expect(events.items.map((event) => event.message)).toContain('***');
  expect(resources.items.find(({ kind }) => kind === 'Service')?.metadata).toMatchObject({ labels: { conf: '***' } });
  const answers = {
    plan,
    ended,
    resources,
    events,
    tasks,
    deployment: unwrap(await admin.deployments.get({ id })),
    secrets: unwrap(await admin.secrets.list({ query: { env_id } })),
    audit: unwrap(await admin.auditEvents.list({ query: { env_id } })),
    logs,
    metrics: await metricsOfAll(),
  };
  const files = [
    ...(await filesBelow(join(stack.stateFolder, 'services'), '.log')),
    ...(await filesBelow(stack.nats.storeFolder, '')),
    ...(await filesBelow(join(stack.stateFolder, 'runner', 'tasks'), '')),
    ...(await databaseDump()),
    ...[...processTexts].map((text) => ({ subject: text.slice(0, 80), text })),
  ];
  const shown = [
    ...Object.entries(answers).map(([subject, answer]) => ({ subject, text: JSON.stringify(answer) })),
    ...files,
  ];
  for (const text of [contents, next, input]) {
    for (const form of formsOf(text)) expect(holding(shown, form), form).toEqual([]);
  }

  const onBus = recorded.filter(({ subject }) => !subject.startsWith('$'));
  // The services that store, resolve, run and redact secrets.
  const needed =
    /^(?:_INBOX_(?:runner|tasks)\.|rpc\.v1\.tasks\.(?:api-gateway\.(?:secrets|deployment_tasks)\.create|cluster-sync\.shown_texts\.redact)$)/;
  for (const form of [contents, next, input].flatMap(formsOf)) {
    expect(
      holding(onBus, form).filter((subject) => !needed.test(subject)),
      form,
    ).toEqual([]);
  }
});

test('secrets do not appear in logs, processes, files or messages that do not need them', async () => {
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
  const random = () => randomBytes(20).toString('hex');
  const contents = [random(), random(), random()] as const;
  const env_id = sample.cluster.env_id ?? '';
  const createSecret = async (name: string, text: string) =>
    unwrap(await admin.secrets.create({ body: { env_id, collection: 'tokens', name, contents: text } }));
  const secret = await createSecret('hello', contents[0]);
  const planned = await createSecret('planned', contents[2]);
  const { id, config, namespace } = await createHello(admin, sample, 'quiet', { token: secret.id });
  await waitForRunning(admin, id);
  const core = kubeClient(stack);
  const token = async (name = 'hello-web', key = 'token') => {
    const { data } = await core.readNamespacedSecret({ namespace, name });
    return Buffer.from(data?.[key] ?? '', 'base64').toString();
  };
  expect(await token()).toBe(contents[0]);
  const planOtherToken = async () => {
    const body = { config: { ...config, token: planned.id } };
    const { objects } = recordPlan(unwrap(await admin.deploymentPlans.of_update({ id, body })));
    expect(objects.flatMap(({ kind, fields }) => (kind === 'Secret' ? fields : []))).toEqual([
      { path: '/data/token', hidden: true },
    ]);
  };
  await planOtherToken();

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
  // Helm of a dry run is short-lived and may end between two samples.
  const isDryRunRecorded = () => [...processTexts].some((text) => text.includes('--dry-run=server'));
  await waitUntil(async () => planOtherToken().then(isDryRunRecorded), {
    what: 'a dry run among the recorded processes',
    withinMs: 120_000,
  });
  expect(config).toMatchObject({ token: secret.id });
  const [task] = unwrap(await admin.deploymentTasks.list({ query: { deployment_id: id } })).items;
  const log = await unwrap(await admin.deploymentTasks.log({ id: task?.id ?? '' })).text();

  canaries = {
    'contents of a secret': contents[0],
    'new contents of a secret': contents[1],
    'contents of a secret in plans': contents[2],
    ...Object.fromEntries(
      Object.entries(ofShowcase).flatMap(([what, texts]) => texts.map((text, index) => [`${what} ${index}`, text])),
    ),
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
    'password of a registry': registry.password,
    'token of a registry': registry.token,
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
  // Tasks of another test may still run, with their secrets.
  await waitUntil(async () => (await readdir(taskFolders)).length === 0, {
    what: 'the runner to remove the folders of its tasks',
    withinMs: 120_000,
  });
  const cached = await filesBelow(join(stack.stateFolder, 'runner', 'discovery'), '');
  const bus = recorded.filter(({ subject }) => !subject.startsWith('$'));
  const stores = [
    ...(await filesBelow(stack.nats.storeFolder, '')),
    ...(await databaseDump()),
    ...(await objectsOf(core, namespace)),
    ...(await objectsOf(core, showcaseNamespace)),
  ];
  expect(plans.length).toBeGreaterThanOrEqual(5);

  expect(registry.seen.credentials).toBeGreaterThan(0);
  expect(registry.seen.token).toBeGreaterThan(0);
  const metrics = await metricsOfAll();
  const [ada] = unwrap(await admin.users.list({ query: { email: 'ada@example.test' } })).items;
  const member = { env_id, user_id: ada?.id ?? '' };
  unwrap(await admin.envUserPermissions.create({ body: { ...member, role: 'User' } }));
  const { kind_id } = sample.registry;
  unwrap(await admin.deploymentPermissions.create({ body: { ...member, kind_id, role: 'Maintainer' } }));
  unwrap(
    await admin.clusterRoleGrants.create({ body: { env_id, kind_id, cluster_role: 'unused', scope: 'Namespace' } }),
  );
  const ofAdmin = await everyAnswer(callerOf({ 'x-service-token': platform.adminToken }));
  const ofStranger = await everyAnswer(callerOf({ authorization: `Bearer ${grace.session}` }));
  // The stream of events is followed, simulated pods have no log, and no sign-in is under way.
  const withoutAnswer = ['/api/v2/events', '/api/v2/k8s-resources/{id}/log', '/api/v2/auth/idp/attempt'];
  expect(ofAdmin.unanswered).toEqual(withoutAnswer);
  const answered = [...ofAdmin.answers, ...ofStranger.answers, ...events];
  expect(events[0]?.text).toContain(id);

  for (const [name, canary] of Object.entries(canaries)) {
    expect(canary.length, name).toBeGreaterThan(15);
    for (const form of formsOf(canary)) {
      expect(holding(logs, form), `${name} in a log`).toEqual([]);
      expect(log.includes(form), `${name} in a task log`).toBe(false);
      expect(holding(plans, form), `${name} in a plan`).toEqual([]);
      expect(holding(answered, form), `${name} in an answer or event`).toEqual([]);
      expect(holding(metrics, form), `${name} in a metric`).toEqual([]);
      expect(holding(processes, form), `${name} in arguments or environment of a process`).toEqual([]);
      expect(holding(cached, form), `${name} in a file of Helm`).toEqual([]);
      expect(holding(stores, form), `${name} in a database, a stream or an object of Kubernetes`).toEqual([]);
    }
  }

  // Readers of the deployment may read its `values_override`; no other answer repeats it.
  const subjects = new Set(holding([...ofAdmin.answers, ...events], override));
  expect([...subjects].toSorted()).toEqual(
    ['deployment-tasks', 'deployment-tasks/{id}', 'deployments', 'deployments/{id}'].map(
      (path) => `GET /api/v2/${path}`,
    ),
  );
  for (const table of holding(stores, override))
    expect(['tasks.idempotency_keys', 'tasks.deployments', 'tasks.deployment_tasks']).toContain(table);
  // The subjects of answers to the gateway, which reads for people, and to the runner that claims the task.
  for (const subject of new Set(holding(bus, override)))
    expect(subject).toMatch(
      /^(?:rpc\.v1\.tasks\.api-gateway\.deployments\.create$|_INBOX_(?:api-gateway|runner)\.tasks\.)/,
    );
  for (const form of formsOf(override)) {
    expect(holding([...logs, ...metrics, ...processes, ...cached, ...ofStranger.answers], form)).toEqual([]);
  }

  // On the bus a secret occurs only in the request that authenticates with it and in the answer that creates or issues it.
  const requestsWith = (canary: string) => holding(bus, canary).filter((subject) => !subject.startsWith('_INBOX_'));
  for (const name of ['user token', 'bot token', 'session']) {
    expect([...new Set(requestsWith(canaries[name] ?? ''))], name).toEqual([
      'rpc.v1.auth.api-gateway.identities.authenticate',
    ]);
  }
  for (const text of [contents[0], contents[2], ...ofShowcase.secrets])
    expect(requestsWith(text)).toEqual(['rpc.v1.tasks.api-gateway.secrets.create']);
  expect(requestsWith(contents[1])).toEqual(['rpc.v1.tasks.api-gateway.secrets.update']);
  for (const text of [props[0], ...ofShowcase.props])
    expect(new Set(requestsWith(text))).toEqual(new Set(['rpc.v1.tasks.api-gateway.deployment_resources.create']));
  expect(requestsWith(props[1])).toEqual(['rpc.v1.tasks.api-gateway.deployment_resources.update']);
  // The test itself sent it as a credential.
  expect(requestsWith(callToken)).toEqual(['rpc.v1.auth.api-gateway.identities.authenticate']);
  for (const text of [...contents, ...props, ...Object.values(ofShowcase).flat()]) {
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
    'password of a registry',
    'token of a registry',
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
