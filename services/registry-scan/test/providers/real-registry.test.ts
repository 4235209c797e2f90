import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensureTools, type RegistryServer, startRegistry } from '@berth/devstack';
import type { Bus } from '@berth/bus/bus';
import { implement } from '@berth/bus/rpc/implement';
import { chartArchives } from '@berth/contracts/resources/charts/chart-archives';
import { deployments } from '@berth/contracts/resources/deployments/deployments';
import { type HelmChart, helmCharts } from '@berth/contracts/resources/charts/helm-charts';
import { helmRegistries } from '@berth/contracts/resources/charts/helm-registries';
import { signingKeys } from '@berth/contracts/resources/accounts/signing-keys';
import { taskClaims } from '@berth/contracts/resources/tasks/task-claims';
import { startProcessGuard } from '@berth/process-guard/process-guard';
import { freePort } from '@berth/testing/network/free-port';
import { connectTestBus } from '@berth/testing/test-bus';
import { identityToken, sampleIdentities, testKeys } from '@berth/testing/test-identities';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acceptedManifests } from '../../src/oci/replies/manifest.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const sampleCharts = join(root, 'packages/devstack/sample-charts');
const pushToken = 'canary-push-token-0123456789';

const stack = new AsyncDisposableStack();
let folder: string;
let tools: Record<'registry' | 'helm', string>;
let nats: TestNats;
let registry: RegistryServer;
let service: ServiceProcess;
let callers: Record<'gateway' | 'runner' | 'tasks', Bus>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-real-registry-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const guard = startProcessGuard();
  stack.defer(() => guard.close());
  const signal = AbortSignal.timeout(20 * 60_000);
  tools = await ensureTools({ names: ['registry', 'helm'], env: process.env, log: console.log, signal });

  const pushPort = await freePort();
  const notify = { url: `http://127.0.0.1:${pushPort}/events`, authorization: `Bearer ${pushToken}` };
  registry = await startRegistry({ stateFolder: folder, guard, signal, program: tools.registry, notify });
  stack.defer(() => registry.stop());
  nats = stack.use(await startTestNats());
  callers = {
    gateway: stack.use(await connectTestBus(nats, 'api-gateway')),
    runner: stack.use(await connectTestBus(nats, 'runner')),
    tasks: stack.use(await connectTestBus(nats, 'tasks')),
  };
  const auth = stack.use(await connectTestBus(nats, 'auth'));
  auth.serve(implement(signingKeys, { list: async () => ({ keys: testKeys.publicJwks }) }));

  await push('hello-web');
  const registries = [{ url: registry.url, allow_http: true, poll_interval_seconds: 3_600 }];
  service = stack.use(await startServiceProcess({ nats, registries, pushToken, pushPort }));
}, 20 * 60_000);
afterAll(() => stack.disposeAsync());

/** Returns what Helm printed. */
async function helm(...args: string[]): Promise<string> {
  const env = { HOME: folder, PATH: '/usr/bin:/bin' };
  return (await run(tools.helm, args, { env, maxBuffer: 64 * 1024 * 1024 })).stdout;
}

/** Runs `helm package` and `helm push`. Returns the archive. */
async function push(chart: string, version = '1.0.0'): Promise<string> {
  await helm('package', join(sampleCharts, chart), '--version', version, '--destination', folder);
  const archive = join(folder, `${chart}-${version}.tgz`);
  await helm('push', archive, `oci://${registry.address}/charts`, '--plain-http');
  return archive;
}

async function chartsOf(repository: string, query: object = {}): Promise<HelmChart[]> {
  const token = { identityToken: await identityToken(sampleIdentities.outsider, 'registry-scan') };
  const { gateway } = callers;
  const { items } = await gateway.call(helmRegistries.operations.list, { query: { repo_name: repository } }, token);
  const [found] = items;
  if (!found) return [];
  return (await gateway.call(helmCharts.operations.list, { query: { helm_registry_id: found.id, ...query } }, token))
    .items;
}

const inTime = { interval: 50 };

test('a chart in the registry is found when the service starts, with all its extensions', async () => {
  await expect
    .poll(() => chartsOf('charts/hello-web'), inTime)
    .toMatchObject([
      {
        image_tag: '1.0.0',
        available: true,
        error: null,
        parsed_version: '1.0.0',
        values_ui: { inputs: expect.arrayContaining([expect.objectContaining({ id: 'replicas', type: 'number' })]) },
        actions_schema: { actions: [expect.objectContaining({ id: 'say' })] },
        features: { cardinality: 'Many', ingress: { enabled: false } },
        resource_types: { page: expect.objectContaining({ name_singular: 'Page' }) },
      },
    ]);
});

test('a pushed chart is found at once, long before the next poll', async () => {
  await push('hello-web', '1.1.0-main.5');

  await expect.poll(async () => (await chartsOf('charts/hello-web')).length, inTime).toBe(2);
  const [newest] = await chartsOf('charts/hello-web');
  expect(newest).toMatchObject({ image_tag: '1.1.0-main.5', parsed_version: '1.1.0', parsed_branch: 'main' });
});

test('the chart of Berth itself is found with a form and features, and renders from the registry as from its folder', async () => {
  const chart = join(root, 'deploy/berth');
  const [, version = ''] = /^version: (\S+)$/m.exec(await readFile(join(chart, 'Chart.yaml'), 'utf8')) ?? [];
  await helm('package', chart, '--destination', folder);
  await helm('push', join(folder, `berth-${version}.tgz`), `oci://${registry.address}/charts`, '--plain-http');

  await expect
    .poll(() => chartsOf('charts/berth'), inTime)
    .toMatchObject([
      {
        available: true,
        error: null,
        values_ui: { inputs: expect.arrayContaining([expect.objectContaining({ id: 'own_url', required: true })]) },
        features: { node_selector_paths: expect.arrayContaining([['runner', 'nodeSelector']]) },
      },
    ]);
  // Keys and passwords come from Secrets here, since generated ones would differ each time.
  const values = [
    'global.ownUrl=https://berth.example.com',
    'global.image.registry=registry.example.com',
    'global.keys.existingSecret=keys',
    'global.postgresql.existingSecret=database-urls',
    'global.nats.existingSecret=nats-passwords',
    'global.nats.url=nats://nats:4222',
    'auth.oidc.issuer=https://id.example.com',
    'auth.oidc.existingSecret=given',
  ].flatMap((value) => ['--set', value]);
  const source = [`oci://${registry.address}/charts/berth`, '--version', version, '--plain-http'];
  const pulled = await helm('template', 'berth', ...source, ...values);
  expect(pulled).toBe(await helm('template', 'berth', chart, ...values));
  expect(pulled.match(/^kind: Deployment$/gm)).toHaveLength(6);
});

test('charts of other kinds are listed, broken ones with their error', async () => {
  await push('other-thing');
  await push('broken-extension');

  await expect.poll(() => chartsOf('charts/other-thing'), inTime).toMatchObject([{ error: null }]);
  await expect
    .poll(() => chartsOf('charts/broken-extension'), inTime)
    .toMatchObject([{ error: expect.stringMatching(/^berth\/values-ui\.yaml: inputs\[0\]\.type: must be one of/) }]);
});

test('a runner gets the package that was pushed, byte for byte', async () => {
  const pushed = await push('failing-template');
  await expect.poll(() => chartsOf('charts/failing-template'), inTime).toHaveLength(1);
  const [chart] = await chartsOf('charts/failing-template');

  const claim = { task_id: randomUUID(), fence: 1, part: 0 };
  const get = async () => ({
    deployment_id: randomUUID(),
    cluster_id: randomUUID(),
    namespace: 'web',
    helm_chart_id: chart?.id ?? '',
    is_dry_run: false,
  });
  callers.tasks.serve(implement(taskClaims, { get }));
  await callers.tasks.listening();
  const { data } = await callers.runner.call(chartArchives.operations.read, { body: claim });

  expect(Buffer.from(data, 'base64')).toEqual(await readFile(pushed));
});

test('a chart is in use while a deployment refers to it', async () => {
  const [chart] = await chartsOf('charts/hello-web');
  const id = crypto.randomUUID();
  const row = {
    id,
    created_at: '2026-01-01T00:00:00.000Z',
    name: 'web',
    kind_id: crypto.randomUUID(),
    env_id: crypto.randomUUID(),
    cluster_id: crypto.randomUUID(),
    namespace: 'hello-web-web',
    enabled: false,
    status: 'Uninstalled',
    description_md: null,
    reason: null,
    revision_id: null,
    reported_status: null,
    helm_chart_id: chart?.id,
    config: {},
    values_override: null,
  };
  const { state } = callers.tasks;
  const message = { resource: deployments.name, id, env_id: row.env_id, row };
  await state.ensureStream();
  const inUse = async () => (await chartsOf('charts/hello-web', { in_use: true })).map(({ image_tag }) => image_tag);
  expect(await inUse()).toEqual([]);

  await state.publish({ ...message, version: 1, operation: 'INSERT' });
  await expect.poll(inUse, inTime).toEqual([chart?.image_tag]);

  await state.publish({ ...message, version: 2, operation: 'DELETE' });
  await expect.poll(inUse, inTime).toEqual([]);
});

test('a chart that is deleted from the registry becomes unavailable at once', async () => {
  const manifests = `${registry.url}/v2/charts/other-thing/manifests`;
  const head = await fetch(`${manifests}/1.0.0`, { method: 'HEAD', headers: { accept: acceptedManifests } });
  const digest = head.headers.get('docker-content-digest');

  expect((await fetch(`${manifests}/${digest}`, { method: 'DELETE' })).status).toBe(202);

  await expect.poll(() => chartsOf('charts/other-thing'), inTime).toMatchObject([{ available: false }]);
});

test('a push event without the token is refused, and the service stops cleanly without secrets in its log', async () => {
  expect((await fetch(service.pushUrl, { method: 'POST', body: '{"events":[]}' })).status).toBe(401);

  expect(await service.stop()).toBe(0);
  expect(service.log()).toContain('chart found');
  expect(service.log()).not.toContain(pushToken);
  expect(service.log()).not.toContain(nats.password);
});
