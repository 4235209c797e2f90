import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Client, unwrap, waitUntil } from '@berth/client';
import type { Sample } from '@berth/devstack/journey/find-sample';
import { pushChart } from '@berth/devstack/journey/publish-sample-chart';
import type { Deployment } from '@berth/contracts/resources/deployments/deployments';
import { KubeConfig, type KubernetesObject, KubernetesObjectApi } from '@kubernetes/client-node';
import type { DeploymentHealth } from '@berth/contracts/resources/deployments/deployment-health';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChartFiles, chartFolder } from './setup/charts/unusual-charts.ts';
import { createGrantableRole, grantRole } from './setup/grants/grant-custom-resources.ts';
import { type Platform, startPlatform } from './setup/platform.ts';
import { asKubelet, type Kubelet } from './setup/workloads/as-kubelet.ts';
import { changesOf, type Changes } from './setup/workloads/changes-of.ts';

const run = promisify(execFile);

let platform: Platform;
let sample: Sample;
let objects: KubernetesObjectApi;
let kubelet: Kubelet;
let changes: Changes;
let chart: { kind_id: string; helm_chart_id: string };
let folder: string;
let packed: Awaited<ReturnType<typeof chartFolder>>;

const files: ChartFiles = {
  'Chart.yaml': 'apiVersion: v2\nname: shelf\nversion: 1.0.0\n',
  'templates/web.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  replicas: 1
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - { name: web, image: "web:1", ports: [{ containerPort: 80, hostPort: {{ .Values.hostPort | default 0 }} }] }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { words: {{ (.Values.config).words | default "none" | quote }} }
`,
  'templates/hook.yaml': `{{- if .Values.hooked }}
apiVersion: v1
kind: ConfigMap
metadata: { name: hook, annotations: { helm.sh/hook: "pre-install,pre-upgrade" } }
data: { revision: {{ .Release.Revision | quote }} }
{{- end }}
`,
};

beforeAll(async () => {
  platform = await startPlatform();
  sample = await platform.sample('adopting');
  const config = new KubeConfig();
  config.loadFromFile(platform.stack.kubeconfigFile);
  config.setCurrentContext(platform.stack.cluster);
  objects = KubernetesObjectApi.makeApiClient(config);
  kubelet = asKubelet(config);
  changes = await changesOf(platform, 'deployments');
  folder = await mkdtemp(join(tmpdir(), 'berth-adopting-'));
  packed = await chartFolder('shelf', files);
  await pushChart({ ...platform.stack, folder: packed.folder, signal: AbortSignal.timeout(60_000) });
  chart = await waitUntil(
    async () => {
      const { helmCharts, helmRegistries } = platform.admin;
      const [registry] = unwrap(await helmRegistries.list({ query: { repo_name: 'charts/shelf' } })).items;
      if (!registry) return null;
      const [found] = unwrap(await helmCharts.list({ query: { helm_registry_id: registry.id } })).items;
      return found && { kind_id: registry.kind_id, helm_chart_id: found.id };
    },
    { what: 'the chart in the catalogue', withinMs: 90_000 },
  );
});
afterAll(async () => {
  changes?.stop();
  await packed?.[Symbol.asyncDispose]();
  await platform?.[Symbol.asyncDispose]();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Helm with the rights of a cluster administrator. */
async function helm(...args: string[]): Promise<string> {
  const { kubeconfigFile, cluster, tools } = platform.stack;
  const options = { env: { HOME: folder, PATH: process.env['PATH'] }, timeout: 60_000 };
  return (await run(tools.helm, [...args, '--kubeconfig', kubeconfigFile, '--kube-context', cluster], options)).stdout;
}

let count = 0;
/** A name, and a Helm release at the place that a deployment of this name would have. */
async function released(
  words: string,
  { serverSide = true, ...more }: { serverSide?: boolean; hooked?: boolean; hostPort?: number } = {},
): Promise<string> {
  const name = `n${(count += 1)}`;
  const values = join(folder, `${name}.json`);
  await writeFile(values, JSON.stringify({ config: { words }, ...more }));
  const namespace = `shelf-${name}`;
  await helm(
    'install',
    namespace,
    packed.folder,
    '--namespace',
    namespace,
    '--create-namespace',
    '--values',
    values,
    `--server-side=${serverSide}`,
  );
  return name;
}

const bodyOf = (name: string, words: string) => ({
  ...chart,
  name,
  cluster_id: sample.cluster.id,
  config: { words },
  values_override: null,
  adopt: true,
});

const adopt = (name: string, words: string, api: Client = platform.admin) =>
  api.deployments.create({ body: bodyOf(name, words) });

async function lastTask(deployment_id: string) {
  return waitUntil(
    async () => {
      const [task] = unwrap(await platform.admin.deploymentTasks.list({ query: { deployment_id } })).items;
      return (task?.status === 'Done' || task?.status === 'Failed' || task?.status === 'Canceled') && task;
    },
    { what: 'the task to end', withinMs: 120_000, longestPauseMs: 300 },
  );
}

interface Found extends KubernetesObject {
  data?: Record<string, string>;
}

const read = (apiVersion: string, kind: string, name: string, namespace?: string): Promise<Found | null> =>
  objects.read({ apiVersion, kind, metadata: { name, ...(namespace && { namespace }) } }).then(
    (found): Found => found,
    (error: unknown) => {
      if (String(error).includes('404')) return null;
      throw error;
    },
  );
const web = (namespace: string) => read('apps/v1', 'Deployment', 'web', namespace);
const namespaceOf = (name: string) => read('v1', 'Namespace', `shelf-${name}`);

async function mark(name: string, metadata: { labels?: Record<string, string>; annotations?: Record<string, string> }) {
  await objects.patch(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: `shelf-${name}`, ...metadata } },
    undefined,
    undefined,
    undefined,
    undefined,
    'application/merge-patch+json',
  );
}

const deletion = async ({ id }: Pick<Deployment, 'id'>) => {
  unwrap(await platform.admin.deployments.delete({ id }));
  await waitUntil(async () => !(await platform.admin.deployments.get({ id })).ok, {
    what: 'the deployment to go',
    withinMs: 120_000,
  });
};

describe('a release that is adopted', () => {
  test.for([
    ['server-side', true],
    ['client-side, as by Helm 3', false],
  ] as const)('%s runs on without a restart, and its values are those of the deployment', async ([, serverSide]) => {
    const name = await released('before', { serverSide });
    const namespace = `shelf-${name}`;
    const before = await web(namespace);

    const plan = unwrap(await platform.admin.deploymentPlans.of_creation({ body: bodyOf(name, 'after') }));
    const deployment = unwrap(await adopt(name, 'after'));
    const task = await lastTask(deployment.id);

    expect(plan.objects.map(({ action, kind, name: of }) => [action, kind, of])).toEqual([
      ['change', 'Namespace', namespace],
      ['change', 'ConfigMap', 'settings'],
    ]);
    expect(task).toMatchObject({ status: 'Done', reason: null });
    expect((await read('v1', 'ConfigMap', 'settings', namespace))?.data).toEqual({ words: 'after' });
    const after = await web(namespace);
    expect(after?.metadata?.uid).toBe(before?.metadata?.uid);
    expect(after?.metadata?.generation).toBe(before?.metadata?.generation);
    expect((await namespaceOf(name))?.metadata?.labels).toMatchObject({
      'app.kubernetes.io/managed-by': 'berth',
      'pod-security.kubernetes.io/enforce': 'baseline',
    });
  });

  test('is removed with its deployment; its namespace and other objects stay, as the plan says', async () => {
    const name = await released('a');
    const namespace = `shelf-${name}`;
    const labels = { ...(await namespaceOf(name))?.metadata?.labels };
    await objects.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'precious', namespace } });
    const deployment = unwrap(await adopt(name, 'a'));
    await lastTask(deployment.id);

    const { id } = deployment;
    const plan = unwrap(await platform.admin.deploymentPlans.of_update({ id, body: { enabled: false } }));
    unwrap(await platform.admin.deployments.update({ id, body: { enabled: false } }));
    expect(await lastTask(id)).toMatchObject({ status: 'Done' });

    expect(plan.objects).toContainEqual(expect.objectContaining({ action: 'keep', kind: 'Namespace' }));
    expect(await web(namespace)).toBeNull();
    expect(await read('v1', 'Secret', 'precious', namespace)).not.toBeNull();
    expect(await read('v1', 'Secret', 'service-creds', namespace)).toBeNull();
    expect(await read('rbac.authorization.k8s.io/v1', 'RoleBinding', 'berth-deployer', namespace)).toBeNull();
    expect((await namespaceOf(name))?.metadata?.labels).toEqual(labels);

    unwrap(await platform.admin.deployments.update({ id, body: { enabled: true } }));
    expect(await lastTask(id)).toMatchObject({ status: 'Done' });
    expect(await web(namespace)).not.toBeNull();
    await deletion(deployment);
    expect(await read('v1', 'Secret', 'precious', namespace)).not.toBeNull();
    expect((await namespaceOf(name))?.metadata?.annotations ?? {}).not.toHaveProperty(['berth.dev/deployment-id']);
  });

  test('has its hooks run by the first deploy, and the plan names them', async () => {
    const name = await released('a', { hooked: true });
    const hook = () => read('v1', 'ConfigMap', 'hook', `shelf-${name}`);
    const before = await hook();
    const body = { ...bodyOf(name, 'a'), values_override: { hooked: true } };

    const plan = unwrap(await platform.admin.deploymentPlans.of_creation({ body }));
    const { id } = unwrap(await platform.admin.deployments.create({ body }));
    expect(await lastTask(id)).toMatchObject({ status: 'Done' });

    expect(plan.hooks).toMatchObject([{ kind: 'ConfigMap', name: 'hook' }]);
    expect(before?.data).toEqual({ revision: '1' });
    expect((await hook())?.data).toEqual({ revision: '2' });
  });

  test('runs pods that the security level of its namespace refuses: the plan warns of them', async () => {
    const name = await released('a', { hostPort: 8_080 });
    const pods = () => objects.list('v1', 'Pod', `shelf-${name}`);
    await waitUntil(async () => (await pods()).items.length > 0, { what: 'a pod', withinMs: 60_000 });
    const body = { ...bodyOf(name, 'a'), values_override: { hostPort: 8_080 } };

    const plan = unwrap(await platform.admin.deploymentPlans.of_creation({ body }));

    const namespace = plan.objects.find(({ kind }) => kind === 'Namespace');
    expect(namespace?.reason).toMatch(/existing pods.*baseline.*hostPort/);
  });

  test('has one owner, if two people adopt it at the same moment', async () => {
    const name = await released('a');
    const linus = await platform.person('linus');
    const scope = { env_id: sample.cluster.env_id ?? '', user_id: linus.id };
    unwrap(await platform.admin.envUserPermissions.create({ body: { ...scope, role: 'Admin' } }));

    const answers = await Promise.all([adopt(name, 'a'), adopt(name, 'b', linus.api)]);

    const [first, ...others] = answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
    expect(others).toEqual([]);
    expect(answers.flatMap((answer) => (answer.ok ? [] : [answer.problem]))).toMatchObject([{ status: 409 }]);
    expect(await lastTask(first?.id ?? '')).toMatchObject({ status: 'Done' });
    expect((await read('v1', 'ConfigMap', 'settings', `shelf-${name}`))?.data).toEqual(first?.config);
  });

  test('is named in the audit log', async () => {
    const { id } = unwrap(await adopt(await released('a'), 'a'));

    const events = unwrap(await platform.admin.auditEvents.list({ query: { resource: 'deployments', object_id: id } }));

    expect(events.items[0]).toMatchObject({ operation: 'create', details: { adopt: true } });
  });
});

describe('nothing is adopted', () => {
  const refusal = async (name: string, api?: Client) => {
    const answer = await adopt(name, 'a', api);
    return answer.ok ? answer.value : answer.problem;
  };
  const like = (status: number, words: RegExp) => ({ status, detail: expect.stringMatching(words) });

  test('without a release of that name', async () => {
    expect(await refusal('nowhere')).toMatchObject(like(422, /no namespace shelf-nowhere/));
    await objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shelf-empty' } });
    expect(await refusal('empty')).toMatchObject(like(422, /no Helm release shelf-empty/));
  });

  test.for<[string, Parameters<typeof mark>[1], RegExp]>([
    [
      'Argo CD',
      { annotations: { 'argocd.argoproj.io/tracking-id': 'shop:/ConfigMap:a/b' } },
      /Argo CD \(application shop\)/,
    ],
    [
      'Flux',
      { labels: { 'helm.toolkit.fluxcd.io/name': 'web', 'helm.toolkit.fluxcd.io/namespace': 'apps' } },
      /Flux \(HelmRelease apps\/web\)/,
    ],
    ['another tool', { labels: { 'app.kubernetes.io/managed-by': 'spinnaker' } }, /spinnaker/],
    ['another release', { annotations: { 'meta.helm.sh/release-name': 'other' } }, /the Helm release other/],
  ])('that %s manages', async ([, metadata, words]) => {
    const name = await released('a');
    await mark(name, metadata);

    expect(await refusal(name)).toMatchObject(like(409, words));

    expect((await namespaceOf(name))?.metadata?.annotations ?? {}).not.toHaveProperty(['berth.dev/claim']);
  });

  test('that Berth manages, or that an operator has reserved', async () => {
    const name = await released('a');
    await objects.patch(
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: `shelf-${name}`, annotations: { 'berth.dev/adoption': 'refused' } },
      },
      undefined,
      undefined,
      undefined,
      undefined,
      'application/merge-patch+json',
    );
    expect(await refusal(name)).toMatchObject(like(409, /must not be adopted/));

    const adopted = await released('a');
    await lastTask(unwrap(await adopt(adopted, 'a')).id);
    expect(await refusal(adopted)).toMatchObject(like(409, /taken|exists/));
  });

  test('beside another release in the namespace', async () => {
    const name = await released('a');
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'sh.helm.release.v1.second.v1',
        namespace: `shelf-${name}`,
        labels: { owner: 'helm', name: 'second', version: '1' },
      },
    };
    await objects.create(secret);

    expect(await refusal(name)).toMatchObject(like(409, /also holds the Helm release second/));
  });

  test('of a kind that has a grant in the whole cluster, until a site admin revokes it', async () => {
    const { clusterRoleGrants } = platform.admin;
    const { kind_id } = chart;
    const name = await released('a');
    await createGrantableRole(platform.stack);
    await grantRole(platform.admin, { env_id: sample.cluster.env_id ?? '', kind_id });

    expect(await refusal(name)).toMatchObject(
      like(409, /cannot be adopted while its kind is granted .+ in the whole cluster: revoke the grant, adopt/),
    );

    const [grant] = unwrap(await clusterRoleGrants.list({ query: { kind_id } })).items;
    unwrap(await clusterRoleGrants.delete({ id: grant?.id ?? '' }));
    expect(await lastTask(unwrap(await adopt(name, 'a')).id)).toMatchObject({ status: 'Done' });
  });

  test('by somebody without a credential, or who is not an owner', async () => {
    const name = await released('a');
    expect(await refusal(name, platform.anonymous)).toMatchObject(like(401, /./));
    const { id, api } = await platform.person('grace');
    unwrap(
      await platform.admin.envUserPermissions.create({
        body: { env_id: sample.cluster.env_id ?? '', user_id: id, role: 'User' },
      }),
    );
    expect(await refusal(name, api)).toMatchObject(like(403, /owner/));
  });

  test('by a value that is not a boolean', async () => {
    const body = { ...bodyOf('x', 'a'), adopt: 'yes' as unknown as boolean };
    expect(await platform.admin.deployments.create({ body })).toMatchObject({ problem: { status: 400 } });
  });
});

describe('the health of what runs', () => {
  const namespaceIn = (name: string) => `shelf-${name}`;

  /** A deployment that runs and is healthy. */
  async function running(name: string): Promise<Deployment> {
    const { id } = unwrap(await platform.admin.deployments.create({ body: { ...bodyOf(name, 'a'), adopt: false } }));
    expect(await lastTask(id)).toMatchObject({ status: 'Done' });
    return showing(id, (health) => health?.state === 'Healthy');
  }

  const showing = (id: string, holds: (health: DeploymentHealth | null) => boolean): Promise<Deployment> =>
    waitUntil(
      async () => {
        const deployment = unwrap(await platform.admin.deployments.get({ id }));
        return holds(deployment.health) && deployment;
      },
      { what: 'the health of the deployment', withinMs: 90_000, longestPauseMs: 300 },
    );

  const naming = (cause: string) => (health: DeploymentHealth | null) =>
    health?.causes.some((each) => each.cause === cause) ?? false;

  const make = (namespace: string, kind: string, name: string, fields: object) =>
    objects.create({ apiVersion: kind === 'Job' ? 'batch/v1' : 'v1', kind, metadata: { name, namespace }, ...fields });
  const container = { name: 'web', image: 'web:1' };
  /** Bound to a volume that no longer exists: the claim controller marks it as lost. */
  const makeLostClaim = (namespace: string, name: string) =>
    make(namespace, 'PersistentVolumeClaim', name, {
      metadata: { name, namespace, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeName: 'gone' },
    });
  const makePod = async (namespace: string, name: string) => {
    await make(namespace, 'Pod', name, { spec: { containers: [container] } });
    await kubelet.untilReady(namespace, name);
  };

  test('follows what its cluster reports of pods, Jobs and claims: state, cause, since, event, filter and metric', async () => {
    const { id } = await running('ill');
    const namespace = namespaceIn('ill');
    for (const name of ['unready', 'lost', 'evicted', 'crashing', 'oom']) await makePod(namespace, name);
    const failing = { metadata: { annotations: { 'berth.dev/simulate': 'fail' } } };
    const jobSpec = {
      backoffLimit: 0,
      template: { ...failing, spec: { restartPolicy: 'Never', containers: [container] } },
    };

    // Each is more specific than those before it, so each becomes the first cause and publishes an event.
    const steps: [string, string, () => Promise<unknown>][] = [
      ['ContainersNotReady', 'Pod unready', () => kubelet.unready(namespace, 'unready')],
      ['BackoffLimitExceeded', 'Job batch', () => make(namespace, 'Job', 'batch', { spec: jobSpec })],
      ['ClaimLost', 'PersistentVolumeClaim data', () => makeLostClaim(namespace, 'data')],
      ['NodeLost', 'Pod lost', () => kubelet.loseNode(namespace, 'lost')],
      ['CrashLoopBackOff', 'Pod crashing', () => kubelet.crash(namespace, 'crashing')],
      ['OOMKilled', 'Pod oom', () => kubelet.crash(namespace, 'oom', 'OOMKilled')],
    ];
    const shown: string[] = [];
    for (const [cause, , report] of steps) {
      const events = changes.of(id);
      await report();
      const { health, reason } = await showing(id, (now) => now?.causes[0]?.cause === cause);
      const [first] = health?.causes ?? [];
      shown.push(`${cause}: ${health?.state}, ${first?.kind} ${first?.name}`);
      expect(reason).toBe(`Workload: ${health?.reason}`);
      expect(first?.since).toEqual(expect.any(String));
      await expect.poll(() => changes.of(id)).toBeGreaterThan(events);
    }
    expect(shown).toEqual(steps.map(([cause, object]) => `${cause}: Degraded, ${object}`));

    await kubelet.evict(namespace, 'evicted');
    const { health } = await showing(id, naming('Evicted'));
    expect(health?.causes.map(({ cause }) => cause).slice(0, 2)).toEqual(['OOMKilled', 'CrashLoopBackOff']);
    expect(unwrap(await platform.admin.deployments.list({ query: { health: 'Degraded' } })).items).toMatchObject([
      { id },
    ]);
    const metrics = `http://127.0.0.1:${platform.stack.healthPorts.tasks}/metrics`;
    await expect
      .poll(async () => (await fetch(metrics)).text())
      .toContain('berth_deployments{berth_env="adopting",health="Degraded"} 1');

    // `why` answers with the same causes.
    const { facts } = unwrap(await platform.admin.deployments.why({ id }));
    expect(facts[0]).toMatchObject({ kind: 'workload_degraded', object: { kind: 'Pod', name: 'oom' } });
    await deletion({ id });
  });

  test('stays Degraded while a pod flaps, names the image that cannot be pulled, and shows when the pod recovers', async () => {
    const { id } = await running('flapping');
    const namespace = namespaceIn('flapping');
    const name = await kubelet.podOf(namespace, 'app=web');
    const events = changes.of(id);

    await kubelet.imageGone(namespace, name);
    await showing(id, naming('ImagePullBackOff'));
    for (let round = 0; round < 3; round += 1) {
      await kubelet.ready(namespace, name);
      await delay(1_500);
      await kubelet.imageGone(namespace, name);
      await delay(1_500);
      expect(unwrap(await platform.admin.deployments.get({ id })).health?.state).toBe('Degraded');
    }
    expect(changes.of(id) - events).toBeLessThan(4);

    await kubelet.ready(namespace, name);
    const { health, reason } = await showing(id, (now) => now?.state === 'Healthy');
    expect({ ...health, since: '', reason }).toEqual({ state: 'Healthy', since: '', reason: null, causes: [] });
    await deletion({ id });
  });

  test('is unknown while its cluster is ignored, and current once it no longer is', async () => {
    const { id } = await running('ignored');
    const ignore = (ignored: boolean) =>
      platform.admin.k8sClusters.update({ id: sample.cluster.id, body: { ignore: ignored } });

    unwrap(await ignore(true));
    const { health } = await showing(id, (now) => now?.state === 'Unknown');
    unwrap(await ignore(false));
    await showing(id, (now) => now?.state === 'Healthy');

    expect(health).toMatchObject({ reason: `the cluster ${sample.cluster.name} is ignored`, causes: [] });
    await deletion({ id });
  });
});
