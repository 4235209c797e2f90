import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { gunzipSync, gzipSync } from 'node:zlib';
import { recordInPayload, withStatus } from '../src/release/release-payload.ts';
import { type Admission, holdWrites, type Write } from './support/admission.ts';
import { helmsOf, soon } from './support/helm-actions.ts';
import { upgradeByHand } from './support/helm-by-hand.ts';
import { type Running, startRunning } from './support/start-running.ts';
import { dryRunOf, taskOf } from './support/fake-tasks.ts';

let running: Running;
let world: Running['world'];
let act: Running['act'];
beforeAll(async () => {
  running = await startRunning();
  ({ world, act } = running);
});
afterAll(() => running?.[Symbol.asyncDispose]());

const Secret = z.looseObject({
  metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
  data: z.record(z.string(), z.string()),
});
const Probe = z.object({ metadata: z.object({ uid: z.string() }), data: z.object({ text: z.string() }) });
const call = () => ({ signal: AbortSignal.timeout(20_000), deadlineMs: 10_000 });
const next = <T extends { task_id: string }>(task: T): T => ({ ...task, task_id: crypto.randomUUID() });

/** Leaves the release as a killed Helm does. */
async function leaveAs(namespace: string, revision: number, status: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/secrets/sh.helm.release.v1.${namespace}.v${revision}`;
  const secret = Secret.parse(await world.api.getJson(path, call()));
  const release = await withStatus(secret.data['release'] ?? '', status, 'left by the test');
  expect(await recordInPayload(release)).toMatchObject({ status });
  secret.metadata.labels['status'] = status;
  await world.api.putJson(path, { ...secret, data: { release } }, call());
}

test.for(['pending-install', 'pending-upgrade', 'pending-rollback', 'uninstalling'])(
  'a release that an interrupted run left %s is repaired and deployed again',
  async (status) => {
    const task = taskOf(world.chart);
    await act.run(task);
    await leaveAs(task.namespace, 1, status);

    const again = next(task);
    expect(await act.run(again)).toMatchObject({ outcome: 'Done' });

    expect(await act.history(task.namespace)).toEqual(['superseded', 'deployed']);
    expect(world.tasks.textOf(again.task_id)).toContain(`the release is ${status}: an earlier run was interrupted`);
  },
);

test('an upgrade that was left pending after a deployed revision is repaired and deployed again', async () => {
  const task = taskOf(world.chart);
  await act.run(task);
  await act.run(next(task));
  await leaveAs(task.namespace, 2, 'pending-upgrade');

  expect(await act.run(next(task))).toMatchObject({ outcome: 'Done' });
  expect((await act.history(task.namespace)).at(-1)).toBe('deployed');
});

test('a release that an earlier claim of the task deployed is adopted', async () => {
  const task = taskOf(world.chart);
  await act.run(task);

  const again = { ...task, fence: 2, attempt: 2 };
  world.tasks.give(again);
  await expect
    .poll(() => world.tasks.ends.filter(({ task_id }) => task_id === task.task_id))
    .toMatchObject([{ fence: 1 }, { fence: 2, outcome: 'Done' }]);

  expect(await act.history(task.namespace)).toEqual(['deployed']);
  expect(world.tasks.textOf(task.task_id)).toContain('an earlier attempt of this task has already deployed');
});

test('a release whose record a workload set to uninstalled gets nothing of the folder crds', async () => {
  const files = {
    'Chart.yaml': 'apiVersion: v2\nname: first\nversion: 1.0.0\n',
    'templates/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: rendered }\n',
  };
  const crds = { 'crds/any.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: unseen }\n' };
  const task = taskOf(await world.lateChart(async () => undefined, files));
  await act.run(task);
  await leaveAs(task.namespace, 1, 'uninstalled');
  const again = { ...next(task), chart: await world.lateChart(async () => undefined, { ...files, ...crds }) };

  expect(await act.run(again)).toMatchObject({ outcome: 'Done' });

  expect(await act.exists(`/api/v1/namespaces/${task.namespace}/configmaps/unseen`)).toBe(false);
});

const crd = (plural: string, description: string, version: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.harbour.example` },
  spec: {
    group: 'harbour.example',
    names: { plural, kind: `Of${plural}` },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', description, 'x-kubernetes-preserve-unknown-fields': true } },
        ...version,
      },
    ],
  },
});
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const Definition = z.looseObject({
  metadata: z.looseObject({ uid: z.string(), generation: z.number(), managedFields: z.array(z.looseObject({})) }),
  spec: z.unknown(),
});
/** Without its status, which the API server writes. */
async function definition(plural: string) {
  const { metadata, spec } = Definition.parse(await act.get(`${definitions}/${plural}.harbour.example`));
  const { uid, generation, managedFields } = metadata;
  return { uid, generation, owners: managedFields.filter(({ subresource }) => subresource !== 'status'), spec };
}
const ofKind = (plural: string) =>
  JSON.stringify({ apiVersion: 'harbour.example/v1', kind: `Of${plural}`, metadata: { name: 'one' } });

test('a first deploy creates the definitions of the folder crds that the cluster lacks, waits for them and leaves the others alone, as its plan says', async () => {
  await act.post(definitions, crd('ships', 'of others'));
  await act.post(definitions, crd('masts', 'of others', { name: 'v1alpha1' }));
  const [ships, masts] = [await definition('ships'), await definition('masts')];
  const chart = await world.lateChart(async () => undefined, {
    'Chart.yaml':
      'apiVersion: v2\nname: harbour\nversion: 1.0.0\ndependencies: [{ name: sub, version: 1.0.0, condition: sub.enabled }]\n',
    'values.yaml': 'sub: { enabled: false }\n',
    'charts/sub/Chart.yaml': 'apiVersion: v2\nname: sub\nversion: 1.0.0\n',
    'charts/sub/crds/ropes.yaml': JSON.stringify(crd('ropes', 'of the chart')),
    // As `helm template` prints it, which somebody moved into the folder.
    'crds/all.yaml': [crd('ships', 'of the chart'), crd('piers', 'of the chart'), crd('masts', 'of the chart')]
      .map((one) => `---\n# Source: harbour/templates/${one.metadata.name}.yaml\n${JSON.stringify(one)}\n`)
      .join(''),
    'templates/piers.yaml': ofKind('piers'),
  });
  const task = taskOf(chart);
  world.issueFor(task.namespace, world.adminKubeconfig);

  const plan = await running.planned(dryRunOf(task));
  expect(await act.run(task)).toMatchObject({ outcome: 'Done' });

  expect(plan.objects.map(({ action, name }) => `${action} ${name}`).sort()).toEqual(
    [
      `create ${task.namespace}`,
      'create one',
      'create piers.harbour.example',
      'keep masts.harbour.example',
      'keep ships.harbour.example',
    ].sort(),
  );
  expect(await definition('ships')).toEqual(ships);
  expect(await definition('masts')).toEqual(masts);
  expect(await definition('piers')).toMatchObject({
    spec: { versions: [{ schema: { openAPIV3Schema: { description: 'of the chart' } } }] },
  });
  expect(await act.exists(`${definitions}/ropes.harbour.example`)).toBe(false);
  expect(await act.exists(`/apis/harbour.example/v1/namespaces/${task.namespace}/piers/one`)).toBe(true);
  const log = world.tasks.textOf(task.task_id);
  expect(log).toContain('created from the folder crds: piers.harbour.example\n');
  expect(log).toContain(
    'the cluster has these of the folder crds, and they stay as they are: ships.harbour.example, masts.harbour.example\n',
  );
});

test('a deployment without rights outside of its namespace may bring definitions that the cluster has', async () => {
  await act.post(definitions, crd('decks', 'of others'));
  const decks = await definition('decks');
  const chart = await world.lateChart(async () => undefined, {
    'Chart.yaml': 'apiVersion: v2\nname: harbour\nversion: 1.0.0\n',
    'crds/decks.yaml': JSON.stringify(crd('decks', 'of the chart')),
    'templates/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: map }\n',
  });
  const task = taskOf(chart);

  const { objects } = await running.planned(dryRunOf(task));
  expect(await act.run(task)).toMatchObject({ outcome: 'Done' });

  expect(objects.find(({ kind }) => kind === 'CustomResourceDefinition')).toMatchObject({ action: 'keep' });
  expect(await definition('decks')).toEqual(decks);
  expect(world.tasks.textOf(task.task_id)).toContain('the cluster has all definitions of the folder crds');
});

test('a definition that the cluster refuses fails the deploy before Helm begins, in the words of the cluster', async () => {
  const chart = await world.lateChart(async () => undefined, {
    'Chart.yaml': 'apiVersion: v2\nname: harbour\nversion: 1.0.0\n',
    'crds/wrecks.yaml': JSON.stringify(crd('wrecks', 'of the chart', { storage: false })),
  });
  const task = taskOf(chart);
  world.issueFor(task.namespace, world.adminKubeconfig);

  const end = await act.run(task);

  expect(end).toMatchObject({ outcome: 'Failed' });
  expect(end.reason).toContain('CustomResourceDefinition wrecks.harbour.example of the folder crds');
  expect(end.reason).toContain('must have exactly one version marked as storage version');
  expect(await act.releases(task.namespace)).toEqual([]);
});

test('a deploy fails on a release that cannot be read', async () => {
  const task = taskOf(world.chart);
  await act.run(task);
  const path = `/api/v1/namespaces/${task.namespace}/secrets/sh.helm.release.v1.${task.namespace}.v1`;
  const secret = Secret.parse(await world.api.getJson(path, call()));
  await world.api.putJson(path, { ...secret, data: { release: Buffer.from('what?').toString('base64') } }, call());

  const end = await act.run(next(task));

  expect(end).toMatchObject({ outcome: 'Failed' });
  expect(end.reason).toContain(
    `the Secret sh.helm.release.v1.${task.namespace}.v1 in its namespace is not what Helm wrote`,
  );
});

/** A Secret that pretends to be a revision, as a chart or a pod may write it. */
async function forge(namespace: string, name: string, json: string): Promise<void> {
  const release = Buffer.from(gzipSync(json).toString('base64')).toString('base64');
  await act.post(`/api/v1/namespaces/${namespace}/secrets`, {
    metadata: { name, labels: { owner: 'helm', name: namespace, version: '99', status: 'deployed' } },
    type: 'helm.sh/release.v1',
    data: { release },
  });
}

test('a forged record that Helm does not take for the newest has no effect, whatever it contains', async () => {
  const task = taskOf(world.chart);
  await act.run(task);
  const bomb = `{"info":{"status":"pending-upgrade"},"x":[${'[],'.repeat(3_000_000)}[]]}`;
  await forge(task.namespace, `sh.helm.release.v1.${task.namespace}.v99`, bomb);
  await forge(task.namespace, 'unreadable', 'what?');

  expect(await act.run(next(task))).toMatchObject({ outcome: 'Done' });
});

test('a deploy fails on a forged record that Helm would continue from, and names the Secret to delete', async () => {
  const task = taskOf(world.chart);
  await act.run(task);
  const name = `sh.helm.release.v1.${task.namespace}.v99`;
  await forge(task.namespace, name, JSON.stringify({ info: { status: 'deployed' }, version: 99 }));

  const end = await act.run(next(task));

  expect(end).toMatchObject({ outcome: 'Failed' });
  expect(end.reason).toContain(`Delete these: ${name}`);
  await act.remove(`/api/v1/namespaces/${task.namespace}/secrets/${name}`);
  expect(await act.run(next(task))).toMatchObject({ outcome: 'Done' });
});

test('a namespace that Berth did not create is neither used nor removed, and an uninstall there is done', async () => {
  const task = taskOf(world.chart);
  await act.post('/api/v1/namespaces', { metadata: { name: task.namespace } });

  const deployed = await act.run(task);
  const uninstall = { ...next(task), action: 'uninstall' as const, delete_namespace: true, chart: null };
  const removed = await act.run({ ...uninstall, holds_release: false });

  expect(deployed).toMatchObject({ outcome: 'Failed' });
  expect(deployed.reason).toContain('does not belong to this deployment');
  expect(removed).toMatchObject({ outcome: 'Done' });
  expect(world.tasks.begun).not.toContain(uninstall.task_id);
  expect(world.tasks.textOf(uninstall.task_id)).toContain('is left unchanged');
  const namespace = await act.get(`/api/v1/namespaces/${task.namespace}`);
  expect(namespace).toMatchObject({ status: { phase: 'Active' } });
  expect(namespace).not.toHaveProperty('metadata.annotations');
});

test('a Secret that Berth did not create is not overwritten', async () => {
  const task = taskOf(world.chart);
  await act.run(task);
  const path = `/api/v1/namespaces/${task.namespace}/secrets`;
  await act.post(path, { metadata: { name: 'theirs' }, stringData: { key: 'theirs' } });

  const end = await act.run({ ...next(task), secrets: { theirs: { key: 'ours' } } });

  expect(end).toMatchObject({ outcome: 'Failed' });
  expect(end.reason).toContain('was not created by Berth');
});

test.for(['deployed', 'pending-install', 'pending-upgrade', 'failed'])(
  'an uninstall removes a release in status %s and its namespace',
  async (status) => {
    const task = taskOf(world.chart);
    await act.run(task);
    await leaveAs(task.namespace, 1, status);

    const uninstall = { ...next(task), action: 'uninstall' as const, delete_namespace: true, chart: null };
    expect(await act.run(uninstall)).toMatchObject({ outcome: 'Done' });

    expect(await act.exists(`/api/v1/namespaces/${task.namespace}`)).toBe(false);
    expect(await act.run(next(uninstall))).toMatchObject({ outcome: 'Done' });
  },
);

describe('workloads of a namespace cannot prevent its removal by', () => {
  const uninstallOf = (task: ReturnType<typeof taskOf>) => ({
    ...next(task),
    action: 'uninstall' as const,
    delete_namespace: true,
    chart: null,
  });

  test('deleting the RoleBinding of the deployment and leaving no quota for another one', async () => {
    const task = taskOf(world.chart);
    await act.run(task);
    const quotas = `/api/v1/namespaces/${task.namespace}/resourcequotas`;
    const hard = { 'count/rolebindings.rbac.authorization.k8s.io': '0' };
    await act.post(quotas, { metadata: { name: 'none' }, spec: { hard } });
    // The controller for quotas may not have come to it.
    await world.api.patchJson(`${quotas}/none/status`, { status: { hard, used: hard } }, call());
    const bindings = `/apis/rbac.authorization.k8s.io/v1/namespaces/${task.namespace}/rolebindings`;
    await act.remove(`${bindings}/berth-deployer`);
    const uninstall = uninstallOf(task);

    expect(await act.run(uninstall)).toMatchObject({ outcome: 'Done' });
    expect(await act.exists(`/api/v1/namespaces/${task.namespace}`)).toBe(false);
  });

  test.for([
    ['that is not YAML', '{{'],
    ['of an unknown kind', 'apiVersion: example.com/v1\nkind: Unknown\nmetadata: { name: x }\n'],
  ])('writing a manifest %s into the record of the release', async ([, manifest]) => {
    const task = taskOf(world.chart);
    await act.run(task);
    const path = `/api/v1/namespaces/${task.namespace}/secrets/sh.helm.release.v1.${task.namespace}.v1`;
    const secret = Secret.parse(await world.api.getJson(path, call()));
    const packed = Buffer.from(secret.data['release'] ?? '', 'base64').toString();
    const record: object = JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString());
    const forged = gzipSync(JSON.stringify({ ...record, manifest })).toString('base64');
    await world.api.putJson(path, { ...secret, data: { release: Buffer.from(forged).toString('base64') } }, call());
    const uninstall = uninstallOf(task);

    expect(await act.run(uninstall)).toMatchObject({ outcome: 'Retry' });
    world.tasks.give({ ...uninstall, fence: 2, attempt: 2 });
    await expect
      .poll(() => world.tasks.ends.filter(({ task_id }) => task_id === uninstall.task_id), { timeout: 30_000 })
      .toMatchObject([{ fence: 1 }, { fence: 2, outcome: 'Done' }]);
    expect(await act.exists(`/api/v1/namespaces/${task.namespace}`)).toBe(false);
  });
});

describe('an uninstall', () => {
  const uninstallOf = (task: ReturnType<typeof taskOf>, fields: object = {}) => ({
    ...next(task),
    action: 'uninstall' as const,
    delete_namespace: true,
    chart: null,
    ...fields,
  });
  test('is done where somebody else made a namespace of the same name after that of the deployment was deleted', async () => {
    const task = taskOf(world.chart);
    const path = `/api/v1/namespaces/${task.namespace}`;
    await act.run(task);
    await act.remove(path);
    await soon('the namespace to be gone', async () => !(await act.exists(path)));
    await act.post('/api/v1/namespaces', { metadata: { name: task.namespace } });

    expect(await act.run(uninstallOf(task, { holds_release: true }))).toMatchObject({ outcome: 'Done' });
    expect(await act.exists(path)).toBe(true);
  });

  test('fails at a hook that fails each time, and is done without hooks', async () => {
    const annotations = { 'helm.sh/hook': 'pre-delete' };
    // The API server refuses the name of the hook.
    const veto = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'Veto', annotations } };
    const task = { ...taskOf(world.chart), values: { objects: [veto] } };
    await act.run(task);

    expect(await act.run(uninstallOf(task))).toMatchObject({
      outcome: 'Failed',
      reason: expect.stringContaining('skip_hooks'),
    });
    expect(await act.run(uninstallOf(task, { hooks: false }))).toMatchObject({ outcome: 'Done' });
    expect(await act.exists(`/api/v1/namespaces/${task.namespace}`)).toBe(false);
  });
});

test('an uninstall without a release counts as begun before it deletes the namespace', async () => {
  const task = taskOf(world.chart);
  await act.run(task);
  await act.remove(`/api/v1/namespaces/${task.namespace}/secrets/sh.helm.release.v1.${task.namespace}.v1`);

  const uninstall = { ...next(task), action: 'uninstall' as const, delete_namespace: true, chart: null };
  expect(await act.run(uninstall)).toMatchObject({ outcome: 'Done' });

  expect(world.tasks.begun).toContain(uninstall.task_id);
  expect(await act.exists(`/api/v1/namespaces/${task.namespace}`)).toBe(false);
});

test('a deploy creates a namespace that was deleted', async () => {
  const task = { ...taskOf(world.chart), is_first: false };

  expect(await act.run(task)).toMatchObject({ outcome: 'Done' });

  expect(await act.history(task.namespace)).toEqual(['deployed']);
});

test('a deploy into a terminating namespace waits for its end and creates it again', async () => {
  const task = taskOf(world.chart);
  await act.run(task);
  const path = `/api/v1/namespaces/${task.namespace}`;
  await world.api.deleteJson(path, { propagationPolicy: 'Foreground' }, call());

  expect(await act.run(next(task))).toMatchObject({ outcome: 'Done' });
  expect(await act.history(task.namespace)).toEqual(['deployed']);
});

describe('a Helm that is killed', () => {
  let admission: Admission;
  beforeAll(async () => {
    admission = await holdWrites(world.api);
  });
  afterAll(() => admission?.[Symbol.asyncDispose]());

  type Task = ReturnType<typeof taskOf>;
  const newTask = () => taskOf(world.chart, { values: { pieces: true } });
  const claimedAgain = (task: Task): Task => ({
    ...task,
    fence: task.fence + 1,
    attempt: task.attempt + 1,
    is_first: false,
  });
  const isRelease = ({ name }: Write) => name.startsWith('sh.helm.release.');
  const creates = (name: string) => (write: Write) => write.operation === 'CREATE' && write.name === name;
  const becomes = (status: string) => (write: Write) =>
    isRelease(write) && write.object?.metadata.labels?.['status'] === status;

  async function killHelm(namespace: string): Promise<void> {
    for (const pid of helmsOf(namespace)) process.kill(pid, 'SIGKILL');
    await soon('Helm to end', () => helmsOf(namespace).length === 0);
  }

  /** Runs the task; Helm is killed when the API server receives such a write, which is then refused. */
  async function killedAt(task: Task, matches: (write: Write) => boolean): Promise<void> {
    const killed = admission.at(
      (write) => write.namespace === task.namespace && matches(write),
      async () => {
        await killHelm(task.namespace);
        return false;
      },
    );
    world.tasks.give(task);
    await killed;
  }

  const endOf = ({ task_id, fence }: Task) =>
    soon('the end of the claim', () => world.tasks.endOfClaim(task_id, fence));

  async function runAgain(task: Task) {
    const again = claimedAgain(task);
    world.tasks.give(again);
    return endOf(again);
  }

  test.for<[string, (write: Write) => boolean, string[]]>([
    ['before it recorded the release', isRelease, []],
    ['during a hook', creates('hook'), ['failed']],
    ['after it recorded the release as pending', creates('probe'), ['failed']],
    ['between two objects', creates('second'), ['failed']],
    ['before it recorded that the release is deployed', becomes('deployed'), ['failed']],
  ])('%s leaves no pending release, and the next claim deploys it', async ([, matches, left]) => {
    const task = newTask();

    await killedAt(task, matches);

    expect(await endOf(task)).toMatchObject({ outcome: 'Retry', reason: expect.stringContaining('SIGKILL') });
    // Without a release there is no history.
    const found = await act.releases(task.namespace);
    expect(found.length > 0 ? await act.history(task.namespace) : found).toEqual(left);
    expect(await runAgain(task)).toMatchObject({ outcome: 'Done' });
    // Helm itself marks a failed revision as superseded.
    expect(await act.history(task.namespace)).toEqual([...left.map(() => 'superseded'), 'deployed']);
  });

  test('after it recorded the release as deployed leaves finished work, which the next claim adopts', async () => {
    const task = newTask();
    const isDeployed = (write: Write) => write.namespace === task.namespace && becomes('deployed')(write);

    // Paused first, so that it cannot end by itself.
    const stopped = admission.at(isDeployed, async () => {
      for (const pid of helmsOf(task.namespace)) process.kill(pid, 'SIGSTOP');
      return true;
    });
    world.tasks.give(task);
    await stopped;
    await soon('the release', async () => (await act.history(task.namespace)).includes('deployed'));
    await killHelm(task.namespace);

    expect(await endOf(task)).toMatchObject({ outcome: 'Retry' });
    expect(await runAgain(task)).toMatchObject({ outcome: 'Done' });
    expect(await act.history(task.namespace)).toEqual(['deployed']);
    expect(world.tasks.textOf(task.task_id)).toContain('has already deployed the release');
  });

  test.for<[string, (write: Write) => boolean]>([
    ['before it recorded a revision of its own', isRelease],
    ['between two objects', ({ operation, name }) => operation === 'UPDATE' && name === 'second'],
    ['before it recorded that the release is deployed', becomes('deployed')],
  ])('during an adoption, %s, leaves a release that the next claim takes over', async ([, matches]) => {
    const task: Task = { ...newTask(), adopts: true };
    const { namespace } = task;
    await upgradeByHand(world, namespace, { pieces: true, text: 'before' });
    const read = () => act.get(`/api/v1/namespaces/${namespace}/configmaps/probe`);
    const before = Probe.parse(await read());

    await killedAt(task, matches);

    expect(await endOf(task)).toMatchObject({ outcome: 'Retry', reason: expect.stringContaining('SIGKILL') });
    expect(await runAgain(task)).toMatchObject({ outcome: 'Done' });
    expect((await act.history(namespace)).at(-1)).toBe('deployed');
    const after = Probe.parse(await read());
    expect([before.data.text, after.data.text]).toEqual(['before', 'hello']);
    expect(after.metadata.uid).toBe(before.metadata.uid);
  });

  test('during an uninstall leaves a release that the next claim removes with its namespace', async () => {
    const task = newTask();
    await act.run(task);
    const uninstall: Task = {
      ...next(task),
      action: 'uninstall',
      delete_namespace: true,
      chart: null,
      is_first: false,
    };

    await killedAt(uninstall, ({ operation, name }) => operation === 'DELETE' && name === 'second');

    expect(await endOf(uninstall)).toMatchObject({ outcome: 'Retry' });
    expect(await act.exists(`/api/v1/namespaces/${task.namespace}`)).toBe(true);
    expect(await runAgain(uninstall)).toMatchObject({ outcome: 'Done' });
    expect(await act.exists(`/api/v1/namespaces/${task.namespace}`)).toBe(false);
  });

  test('during a manual rollback leaves a release that the next task deploys', async () => {
    const task = newTask();
    await act.run(task);
    await act.run({ ...next(task), values: { pieces: true, text: 'second' } });
    const rolledBack = admission.at(
      ({ namespace, operation, name }) => namespace === task.namespace && operation === 'UPDATE' && name === 'probe',
      async () => {
        await killHelm(task.namespace);
        return false;
      },
    );

    await Promise.all([rolledBack, act.rollBack(task.namespace).catch(() => undefined)]);

    expect((await act.history(task.namespace)).at(-1)).toBe('pending-rollback');
    expect(await act.run(next(task))).toMatchObject({ outcome: 'Done' });
    expect(await act.history(task.namespace)).toEqual(['superseded', 'superseded', 'failed', 'deployed']);
  });
});
