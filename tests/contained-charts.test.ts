import { unwrap, waitUntil } from '@berth/client';
import type { Sample } from '@berth/devstack/journey/find-sample';
import { pushChart } from '@berth/devstack/journey/publish-sample-chart';
import { applyRbac } from '@berth/devstack/testing/apply-rbac';
import type { DeploymentTask } from '@berth/contracts/resources/tasks/deployment-tasks';
import { KubeConfig, type KubernetesObject, KubernetesObjectApi } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChartFiles, chartFolder } from './setup/charts/unusual-charts.ts';
import { chartsBeyondNamespace } from './setup/charts/usual/beyond-namespace.ts';
import { chartsWithinNamespace } from './setup/charts/usual/within-namespace.ts';
import { crd, type KubeObject, object } from './setup/charts/objects-of-ways-out.ts';
import { berthHost, ingressDomain, waysOut } from './setup/charts/ways-out.ts';
import { guardReleaseRecords } from './setup/grants/guard-release-records.ts';
import { type Platform, startPlatform } from './setup/platform.ts';

let platform: Platform;
let sample: Sample;
let objects: KubernetesObjectApi;
let chart: Awaited<ReturnType<typeof published>>;

/** A chart that renders its configuration, as many public charts do with some of their values. */
const anything: ChartFiles = {
  'Chart.yaml': 'apiVersion: v2\nname: anything\nversion: 1.0.0\n',
  'templates/all.yaml': '{{ tpl (.Values.config.manifest | default "") . }}\n',
};

beforeAll(async () => {
  platform = await startPlatform();
  sample = await platform.sample('contained');
  const config = new KubeConfig();
  config.loadFromFile(platform.stack.kubeconfigFile);
  config.setCurrentContext(platform.stack.cluster);
  objects = KubernetesObjectApi.makeApiClient(config);
  const target = {
    postJson: (_path: string, body: KubernetesObject) => objects.create(withHosts(body)),
  };
  await applyRbac(target, 'cluster-sync', 'hostnames-policy', 'grant-example', 'grants-of-usual-charts');
  await guardReleaseRecords(objects);
  for (const kind of ['Secret', 'ConfigMap'])
    await objects.create({ apiVersion: 'v1', kind, metadata: { name: 'bait', namespace: 'kube-system' } });
  chart = await published('anything', anything);
});
afterAll(() => platform[Symbol.asyncDispose]());

const withHosts = (body: KubernetesObject): KubernetesObject =>
  body.kind === 'ConfigMap' ? ({ ...body, data: { ingressDomain, berthHosts: berthHost } } as KubernetesObject) : body;

async function published(name: string, files: ChartFiles) {
  await using packed = await chartFolder(name, files);
  await pushChart({ ...platform.stack, folder: packed.folder, signal: AbortSignal.timeout(60_000) });
  const { helmCharts, helmRegistries } = platform.admin;
  return waitUntil(
    async () => {
      const [registry] = unwrap(await helmRegistries.list({ query: { repo_name: `charts/${name}` } })).items;
      if (!registry) return null;
      const [found] = unwrap(await helmCharts.list({ query: { helm_registry_id: registry.id } })).items;
      return found && { kind_id: registry.kind_id, helm_chart_id: found.id };
    },
    { what: `the chart ${name} in the catalogue`, withinMs: 90_000 },
  );
}

const manifestOf = (renders: readonly KubeObject[] | string): string =>
  typeof renders === 'string' ? renders : renders.map((one) => JSON.stringify(one)).join('\n---\n');

let count = 0;
async function deploy(renders: readonly KubeObject[] | string, of = chart) {
  count += 1;
  const body = {
    ...of,
    name: `n${count}`,
    cluster_id: sample.cluster.id,
    config: { manifest: manifestOf(renders) },
    values_override: null,
  };
  return unwrap(await platform.admin.deployments.create({ body }));
}

/** The deployment's latest task, once it is over or has a reason why it did not succeed. */
const attempted = (deployment_id: string): Promise<DeploymentTask> =>
  waitUntil(
    async () => {
      const [task] = unwrap(await platform.admin.deploymentTasks.list({ query: { deployment_id } })).items;
      const isOver = task?.status === 'Done' || task?.status === 'Failed';
      // An attempt that fails for lack of a right is repeated, with that reason.
      return task && (isOver || (task.status === 'Pending' && /forbidden|denied/.test(task.reason ?? ''))) && task;
    },
    { what: 'an attempt', withinMs: 120_000, longestPauseMs: 500 },
  );

const exists = (one: KubeObject, namespace: string): Promise<boolean> => {
  const { name, namespace: given } = one.metadata;
  const filled = (text: string) => text.replaceAll('{{ .Release.Namespace }}', namespace);
  return objects.read({ ...one, metadata: { name: filled(name), namespace: filled(given ?? namespace) } }).then(
    () => true,
    (error: unknown) => {
      if (String(error).includes('404')) return false;
      throw error;
    },
  );
};

describe('a chart gets nothing beyond its namespace if it', () => {
  test.concurrent.for(waysOut)('$way', async ({ renders, refusedBecause }) => {
    const { id, namespace } = await deploy(renders);

    const { status, reason } = await attempted(id);

    expect(status).not.toBe('Done');
    expect(reason).toMatch(refusedBecause);
    const made =
      typeof renders === 'string' ? [] : renders.filter(({ metadata }) => metadata.name !== 'berth-deployer');
    const left = await Promise.all(made.map((one) => exists(one, namespace)));
    expect(left.filter((isThere) => isThere)).toEqual([]);
  });
});

const ended = (deployment_id: string) =>
  waitUntil(
    async () => {
      const [task] = unwrap(await platform.admin.deploymentTasks.list({ query: { deployment_id } })).items;
      return (task?.status === 'Done' || task?.status === 'Failed') && task;
    },
    { what: 'the task to end', withinMs: 120_000, longestPauseMs: 500 },
  );

test('a chart that names a foreign object as the owner of its own object loses its own, and the foreign one stays', async () => {
  const bait = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'bait', namespace: 'kube-system' } };
  const { uid } = (await objects.read(bait)).metadata ?? {};
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'bait', uid, blockOwnerDeletion: true, controller: true };
  const owned = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owned', ownerReferences: [owner] } };

  const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' } };
  const { namespace } = await deploy([owned, other]);

  await waitUntil(async () => (await exists(other, namespace)) && !(await exists(owned, namespace)), {
    what: 'the owned object to go',
    withinMs: 60_000,
  });
  expect(await exists(bait, namespace)).toBe(true);
});

test('a deployment whose binding its own pods deleted is deployed again', async () => {
  const { id, namespace } = await deploy([]);
  expect(await ended(id)).toMatchObject({ status: 'Done' });
  await objects.delete({ ...ownBinding, metadata: { ...ownBinding.metadata, namespace } });

  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'second', namespace } };
  unwrap(await platform.admin.deployments.update({ id, body: { config: { manifest: JSON.stringify(map) } } }));

  expect(await ended(id)).toMatchObject({ status: 'Done' });
  expect(await exists(map, namespace)).toBe(true);
});

test('a chart with a custom resource definition and a ClusterRole is deployed only after that is granted, and refused after the revocation', async () => {
  const { admin } = platform;
  const operator = [crd, clusterRole(['get'])];
  const { id, namespace } = await deploy(operator);
  const task = await ended(id);
  expect(task).toMatchObject({ status: 'Failed', reason: expect.stringContaining('a site admin can grant') });
  const body = { env_id: sample.cluster.env_id ?? '', kind_id: chart.kind_id, cluster_role: 'widgets-operator' };
  const grant = unwrap(await admin.clusterRoleGrants.create({ body: { ...body, scope: 'Cluster' } }));

  unwrap(await admin.deploymentTasks.retry({ id: task.id }));
  expect(await ended(id)).toMatchObject({ status: 'Done', reason: null });
  const change = { config: { manifest: manifestOf(operator), round: 1 } };
  const plan = unwrap(await admin.deploymentPlans.of_update({ id, body: change }));
  expect(plan.cluster_roles).toEqual([
    { cluster_id: sample.cluster.id, cluster_role: 'widgets-operator', scope: 'Cluster' },
  ]);
  for (const one of operator) expect(await exists(one, namespace)).toBe(true);

  unwrap(await admin.clusterRoleGrants.delete({ id: grant.id }));
  await waitUntil(async () => (await grantBindings()) === 0, { what: 'the binding to go', withinMs: 30_000 });
  const more = { config: { manifest: manifestOf([crd, clusterRole(['get', 'list'])]) } };
  unwrap(await admin.deployments.update({ id, body: more }));
  const refused = await attempted(id);
  expect(refused.status).not.toBe('Done');
  expect(refused.reason).toMatch(/forbidden|grant/);
});

describe('a chart in the shape of a popular public one', () => {
  const install = async (name: string, files: ChartFiles) => {
    const of = await published(name, files);
    const body = { ...of, name: 'usual', cluster_id: sample.cluster.id, config: {}, values_override: null };
    return { ...unwrap(await platform.admin.deployments.create({ body })), kind_id: of.kind_id };
  };

  test.concurrent.for(Object.keys(chartsWithinNamespace))(
    'is deployed and upgraded without a grant: %s',
    async (name) => {
      const { id } = await install(name, chartsWithinNamespace[name] ?? {});
      expect(await ended(id)).toMatchObject({ status: 'Done', reason: null });

      unwrap(await platform.admin.deployments.update({ id, body: { values_override: { image: { tag: '2' } } } }));

      expect(await ended(id)).toMatchObject({ status: 'Done', reason: null });
    },
  );

  test.concurrent.for(Object.keys(chartsBeyondNamespace))(
    'is refused with words, deployed after one grant of docs/charts.md, and removed: %s',
    async (name) => {
      const { admin } = platform;
      const { id, kind_id } = await install(name, chartsBeyondNamespace[name] ?? {});
      const refused = await ended(id);
      expect(refused.status).toBe('Failed');
      expect(refused.reason).toMatch(
        /^Nothing was applied\. The chart may not have these objects: [A-Z]\w+ .*a site admin can grant/,
      );

      const body = { env_id: sample.cluster.env_id ?? '', kind_id, cluster_role: name, scope: 'Cluster' as const };
      unwrap(await admin.clusterRoleGrants.create({ body }));
      unwrap(await admin.deploymentTasks.retry({ id: refused.id }));

      expect(await ended(id)).toMatchObject({ status: 'Done', reason: null });
      unwrap(await admin.deployments.update({ id, body: { enabled: false } }));
      expect(await ended(id)).toMatchObject({ status: 'Done', reason: null });
    },
  );
});

describe('a deploy whose pods never get ready', () => {
  // Read when a test runs: the platform starts after this.
  const deployments = () => platform.admin.deployments;
  const deploymentTasks = () => platform.admin.deploymentTasks;
  const container = { name: 'web', image: 'web:1' };
  const podTemplate = (simulate: string | null, spec: object = {}) => ({
    metadata: { labels: { app: 'web' }, annotations: simulate === null ? {} : { 'berth.dev/simulate': simulate } },
    spec: { containers: [container], ...spec },
  });
  const web = (simulate: string | null) =>
    object(
      'apps/v1',
      'Deployment',
      { name: 'web' },
      {
        spec: { selector: { matchLabels: { app: 'web' } }, template: podTemplate(simulate) },
      },
    );
  const round = (number: string) => object('v1', 'ConfigMap', { name: 'round' }, { data: { number } });
  const endlessHook = (event: string) =>
    object(
      'batch/v1',
      'Job',
      { name: 'hook', annotations: { 'helm.sh/hook': event } },
      {
        spec: { template: podTemplate('not-ready', { restartPolicy: 'Never' }) },
      },
    );
  const config = (renders: readonly KubeObject[]) => ({ config: { manifest: manifestOf(renders) } });
  const change = async (id: string, renders: readonly KubeObject[], query: { supersede?: boolean } = {}) => {
    unwrap(await deployments().update({ id, query, body: config(renders) }));
    return newest(id);
  };
  const newest = async (deployment_id: string) => {
    const [task] = unwrap(await deploymentTasks().list({ query: { deployment_id } })).items;
    if (!task) throw new Error('the deployment has no task');
    return task;
  };
  const task = async (id: string) => unwrap(await deploymentTasks().get({ id }));
  const over = (id: string): Promise<DeploymentTask> =>
    waitUntil(
      async () => {
        const now = await task(id);
        return now.status !== 'Pending' && now.status !== 'Started' && now;
      },
      { what: 'the task to end', withinMs: 120_000, longestPauseMs: 200 },
    );
  /** Until Helm has ended and only readiness is waited for. */
  const awaitsReadiness = (id: string) =>
    waitUntil(
      async () => unwrap(await deploymentTasks().why({ id })).facts.some(({ kind }) => kind === 'awaits_readiness'),
      { what: 'the wait for readiness', withinMs: 120_000, longestPauseMs: 200 },
    );
  const awaitsHook = (id: string) =>
    waitUntil(async () => (await task(id)).reason?.includes('Waiting for Job hook'), {
      what: 'the wait for the hook',
      withinMs: 120_000,
      longestPauseMs: 200,
    });
  /** The statuses of the release's revisions in the records of Helm, the oldest first, and the round that runs. */
  const released = async (namespace: string) => {
    const { items } = await objects.list(
      'v1',
      'Secret',
      namespace,
      undefined,
      undefined,
      undefined,
      undefined,
      'owner=helm',
    );
    const statuses = items
      .map(({ metadata }) => ({ version: Number(metadata?.labels?.['version']), status: metadata?.labels?.['status'] }))
      .toSorted((a, b) => a.version - b.version)
      .map(({ status }) => status);
    const found: KubernetesObject & { data?: Record<string, string> } = await objects.read({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'round', namespace },
    });
    return { statuses, number: found.data?.['number'] };
  };

  test.concurrent('is superseded by a change, a retry and a rollback, each of which starts at once and leaves its release', async () => {
    const { id, namespace } = await deploy([web(null), round('1')]);
    const installed = await ended(id);
    expect(installed).toMatchObject({ status: 'Done' });
    const stuck = await change(id, [web('not-ready'), round('2')]);
    await awaitsReadiness(stuck.id);

    const changed = await change(id, [web('not-ready'), round('3')], { supersede: true });

    expect(await task(stuck.id)).toMatchObject({ status: 'Canceled', reason: `superseded by task ${changed.id}` });
    await awaitsReadiness(changed.id);
    expect((await released(namespace)).number).toBe('3');
    unwrap(await deploymentTasks().cancel({ id: changed.id, body: { reason: 'too slow' } }));
    expect(await over(changed.id)).toMatchObject({ status: 'Canceled', reason: 'too slow' });
    const first = unwrap(await deploymentTasks().retry({ id: changed.id, body: {} }));
    await awaitsReadiness(first.id);

    const retried = unwrap(await deploymentTasks().retry({ id: changed.id, query: { supersede: true }, body: {} }));

    expect(await task(first.id)).toMatchObject({ status: 'Canceled', reason: `superseded by task ${retried.id}` });
    await awaitsReadiness(retried.id);

    const query = { supersede: true };
    const back = unwrap(await deploymentTasks().rollback({ id, query, body: { task_id: installed.id } }));

    expect(await task(retried.id)).toMatchObject({ status: 'Canceled', reason: `superseded by task ${back.id}` });
    expect(await over(back.id)).toMatchObject({ status: 'Done', reason: null });
    const { statuses, number } = await released(namespace);
    expect(number).toBe('1');
    expect(statuses).toEqual([...statuses.slice(1).map(() => 'superseded'), 'deployed']);
    expect(unwrap(await deployments().get({ id }))).toMatchObject({ status: 'Running', revision_id: back.id });
  });

  test.concurrent.for(['pre-upgrade', 'post-upgrade'])(
    'is not superseded while a %s hook runs, not even by disabling it',
    async (event) => {
      const { id, namespace } = await deploy([web(null), round('1')]);
      expect(await ended(id)).toMatchObject({ status: 'Done' });
      const stuck = await change(id, [web(null), round('2'), endlessHook(event)]);
      await awaitsHook(stuck.id);

      const changed = await change(id, [web(null), round('3')], { supersede: true });
      unwrap(await deployments().update({ id, body: { enabled: false } }));

      expect(await task(stuck.id)).toMatchObject({ status: 'Started' });
      expect(await task(changed.id)).toMatchObject({ status: 'Pending', reason: `waiting for task ${stuck.id}` });
      unwrap(await deploymentTasks().cancel({ id: stuck.id, body: {} }));
      expect(await over(stuck.id)).toMatchObject({ status: 'Canceled' });
      expect(await over((await newest(id)).id)).toMatchObject({ status: 'Done', reason: null });
      expect(await exists(object('v1', 'Namespace', { name: namespace }), namespace)).toBe(false);
    },
  );

  const stops: [string, (id: string) => Promise<unknown>][] = [
    ['disabling', (id) => deployments().update({ id, body: { enabled: false } })],
    ['deleting', (id) => deployments().delete({ id })],
  ];
  test.concurrent.for(stops)(
    'is superseded by %s the deployment, without a parameter, and its release is removed',
    async ([, stop]) => {
      const { id, namespace } = await deploy([web('not-ready'), round('1')]);
      const stuck = await newest(id);
      await awaitsReadiness(stuck.id);

      expect(await stop(id)).toMatchObject({ ok: true });
      const uninstall = await newest(id);

      expect(await task(stuck.id)).toMatchObject({ status: 'Canceled', reason: `superseded by task ${uninstall.id}` });
      expect(await over(uninstall.id)).toMatchObject({ status: 'Done', reason: null });
      expect(await exists(object('v1', 'Namespace', { name: namespace }), namespace)).toBe(false);
    },
  );
});

const ownBinding = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: 'berth-deployer' },
};

const clusterRole = (verbs: readonly string[]): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: '{{ .Release.Namespace }}-reader' },
  rules: [{ apiGroups: ['example.com'], resources: ['widgets'], verbs }],
});

async function grantBindings(): Promise<number> {
  const { items } = await objects.list('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding');
  return items.filter(({ metadata }) => metadata?.name?.startsWith('berth-grant-')).length;
}
