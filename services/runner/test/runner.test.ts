import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { actionsIn, helmsOf, soon } from './support/helm-actions.ts';
import { type HttpsDeployment, startHttpsDeployment } from './support/https-deployment.ts';
import { notesSigterm, preloaded, sigtermAt } from './support/preloaded.ts';
import { type RunnerProcess, type RunnerWorld, startRunnerWorld } from './support/runner-world.ts';
import { taskOf } from './support/fake-tasks.ts';

let world: RunnerWorld;
let runner: RunnerProcess;
let act: ReturnType<typeof actionsIn>;
let deployment: HttpsDeployment;
beforeAll(async () => {
  world = await startRunnerWorld();
  act = actionsIn(world);
  deployment = await startHttpsDeployment();
  const { ca, port } = deployment;
  runner = await world.start({
    CALL_CA: ca,
    CALL_PORT: `${port}`,
    CALL_ALLOW_ADDRESSES: '127.0.0.1',
    ...preloaded(notesSigterm),
  });
});
afterAll(async () => {
  await runner?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
  await deployment?.[Symbol.asyncDispose]();
});

const slowly = () => taskOf(world.chart, { values: { slow: true } });
const taskFolders = () => readdir(join(runner.folder, 'tasks'));

/** A workload of one pod, in the namespace of an installed deployment. */
async function installedWorkload(kind: 'Deployment' | 'StatefulSet' | 'DaemonSet', podSpec: object = {}) {
  const task = taskOf(world.chart);
  await act.run(task);
  const labels = { app: 'web' };
  const pods = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }], ...podSpec } };
  const path = `/apis/apps/v1/namespaces/${task.namespace}/${kind.toLowerCase()}s`;
  const object = z.object({ metadata: z.object({ uid: z.string() }) }).parse(
    await act.post(path, {
      apiVersion: 'apps/v1',
      kind,
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: labels },
        template: pods,
        ...(kind === 'StatefulSet' && { serviceName: 'web' }),
      },
    }),
  );
  const at = '2026-01-02T03:04:05.678Z';
  const { uid } = object.metadata;
  const restart = {
    ...task,
    task_id: crypto.randomUUID(),
    action: 'restart' as const,
    restart: { kind, name: 'web', uid, at },
  };
  const restartedAt = async () =>
    z
      .object({
        metadata: z.object({ generation: z.number() }),
        spec: z.object({
          template: z.object({ metadata: z.object({ annotations: z.record(z.string(), z.string()).optional() }) }),
        }),
      })
      .transform(({ metadata, spec }) => ({
        generation: metadata.generation,
        at: spec.template.metadata.annotations?.['kubectl.kubernetes.io/restartedAt'],
      }))
      .parse(await act.get(`${path}/web`));
  return { restart, at, restartedAt };
}

test.for(['Deployment', 'StatefulSet', 'DaemonSet'] as const)(
  'a restart of a %s waits until its pods are new, and a repeat restarts nothing',
  async (kind) => {
    const { restart, at, restartedAt } = await installedWorkload(kind);

    expect(await act.run(restart)).toMatchObject({ outcome: 'Done', reason: null });
    const first = await restartedAt();
    expect(await act.run({ ...restart, task_id: crypto.randomUUID() })).toMatchObject({ outcome: 'Done' });

    expect(first).toMatchObject({ at });
    expect(await restartedAt()).toEqual(first);
  },
);

test('a restart whose pods do not become ready fails, and its log names them', async () => {
  const { restart, at, restartedAt } = await installedWorkload('Deployment', { nodeSelector: { never: 'yes' } });

  const end = await act.run({ ...restart, wait: { enabled: true, timeout_secs: 2 } });

  expect(end).toMatchObject({
    outcome: 'Failed',
    reason: expect.stringMatching(
      /^Deployment web was restarted and did not become ready within 2 s: .*; it waited for Deployment web: 0 of 1 ready/,
    ),
  });
  expect(await restartedAt()).toMatchObject({ at });
  expect(world.tasks.textOf(restart.task_id)).toContain('unschedulable');
});

test('a restart leaves another workload of the same name, and a namespace of another deployment, unchanged', async () => {
  const { restart, restartedAt } = await installedWorkload('Deployment');
  const other = { ...restart, restart: { ...restart.restart, uid: crypto.randomUUID() } };
  const foreign = { ...restart, task_id: crypto.randomUUID(), deployment_id: crypto.randomUUID() };

  expect(await act.run(other)).toMatchObject({
    outcome: 'Failed',
    reason: expect.stringContaining('has been replaced'),
  });
  expect(await act.run(foreign)).toMatchObject({
    outcome: 'Failed',
    reason: expect.stringContaining('does not belong'),
  });

  expect(await restartedAt()).toMatchObject({ at: undefined });
});

test('a call of an action is sent with its token, which is not logged, and does not need access to a cluster', async () => {
  const token = 'a-token-of-the-test';
  const call = { host: '127.0.0.1', path: '/drain', method: 'POST' as const, body: '{}', token, hidden: ['swordfish'] };
  deployment.respond(({ headers }, response) => response.end(`swordfish ${headers.authorization}`));
  const before = world.issued();
  const task = taskOf(null, { action: 'invoke', call });

  expect(await act.run(task)).toMatchObject({ outcome: 'Done', reason: null });

  expect(deployment.calls).toMatchObject([{ path: '/drain', headers: { authorization: `Bearer ${token}` } }]);
  expect(world.tasks.begun).toContain(task.task_id);
  expect(world.tasks.textOf(task.task_id)).toContain('*** Bearer ***');
  expect(runner.log()).not.toContain(token);
  expect(world.issued()).toBe(before);
  expect(await taskFolders()).toEqual([]);
});

test('a deploy creates namespace, fence, Secrets and release, and removes its files', async () => {
  const secrets = { access: { password: 'swordfish-of-the-test' } };
  const task = taskOf(world.chart, { values: { text: 'swordfish-of-the-test' }, secrets });

  expect(await act.run(task)).toMatchObject({ outcome: 'Done', reason: null, fence: 1 });

  const { namespace } = task;
  expect(await act.history(namespace)).toEqual(['deployed']);
  expect(await act.get(`/api/v1/namespaces/${namespace}`)).toMatchObject({
    metadata: {
      annotations: { 'berth.dev/deployment-id': task.deployment_id, 'berth.dev/claim': `${task.task_id}:1` },
    },
  });
  expect(await act.get(`/api/v1/namespaces/${namespace}/secrets/access`)).toMatchObject({
    data: { password: Buffer.from('swordfish-of-the-test').toString('base64') },
  });
  expect(await taskFolders()).toEqual([]);
  expect(world.tasks.textOf(task.task_id)).toContain('created namespace');
  expect(world.tasks.textOf(task.task_id)).not.toContain('swordfish');
});

test('a second deploy of a deployment upgrades its release and updates its Secrets', async () => {
  const first = taskOf(world.chart, { secrets: { access: { password: 'before' } } });
  await act.run(first);
  const second = { ...first, task_id: crypto.randomUUID(), secrets: { access: { password: 'after' } } };

  expect(await act.run(second)).toMatchObject({ outcome: 'Done' });

  expect(await act.history(first.namespace)).toEqual(['superseded', 'deployed']);
  expect(await act.get(`/api/v1/namespaces/${first.namespace}`)).toMatchObject({
    metadata: { annotations: { 'berth.dev/claim': `${second.task_id}:1` } },
  });
  expect(await act.get(`/api/v1/namespaces/${first.namespace}/secrets/access`)).toMatchObject({
    data: { password: Buffer.from('after').toString('base64') },
  });
});

test('a deploy without values does not reuse those of the previous one', async () => {
  const first = taskOf(world.chart, { values: { text: 'of the first' } });
  await act.run(first);

  await act.run({ ...first, task_id: crypto.randomUUID(), values: {} });

  const map = `/api/v1/namespaces/${first.namespace}/configmaps/probe`;
  expect(await act.get(map)).toMatchObject({ data: { text: 'hello' } });
});

test('every character and every key of the values arrives unchanged in the chart', async () => {
  const characters = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code))
    .filter((character) => character !== '\0' && character.isWellFormed())
    .concat('\u{10000}', '\u{1f6a2}', '\u{10fffe}', '\u{10ffff}');
  const exact = {
    characters,
    keys: Object.fromEntries(characters.filter((_, index) => index % 7 === 0).map((key) => [key, key])),
    longKeys: Object.fromEntries([1_022, 1_023, 1_024, 20_000].map((length) => ['é'.repeat(length), length])),
    yaml: {
      '<<': { merged: true },
      '=': '=',
      '': '',
      1: 'x',
      '010': '010',
      '2001-01-01': '2001-01-01',
      yes: [
        'yes',
        'no',
        'on',
        'off',
        'y',
        'n',
        '~',
        'null',
        'true',
        '.inf',
        '1_000',
        '1:30',
        '0b1',
        '0o7',
        '+1',
        '1e5',
      ],
      '&a': '*a',
      '!!binary x': '---',
      '? a': '- a',
      '# a': 'a # b',
      '\t': ['\ta', ' a ', 'a \n b\r\n'],
      '{{ .Values.text }}': '{{ .Values.text }}',
    },
    numbers: [0, -1, 1e5, 1e21, 2 ** 53, -(2 ** 63), 2 ** 64, 0.1, 5e-324, 1.7976931348623157e308],
    empty: [{}, [], [[]], null, false],
  };
  const task = taskOf(world.chart, { values: { exact } });

  expect(await act.run(task)).toMatchObject({ outcome: 'Done', reason: null });

  const map = await act.get(`/api/v1/namespaces/${task.namespace}/configmaps/probe`);
  const { binaryData } = z.object({ binaryData: z.object({ exact: z.string() }) }).parse(map);
  expect(JSON.parse(Buffer.from(binaryData.exact, 'base64').toString())).toEqual(exact);
});

test("a chart that fails fails the task with Helm's message, redacted, without control characters and once in its log", async () => {
  const secrets = { access: { password: 'swordfish-of-the-test' } };
  const fail = 'the password\u0007 swordfish-of-the-test is no good';
  const task = taskOf(world.chart, { values: { fail }, secrets });

  const { outcome, reason } = await act.run(task);

  expect(outcome).toBe('Failed');
  expect(reason).toMatch(/the password \*\*\* is no good$/);
  const log = world.tasks.textOf(task.task_id);
  expect(log.split('the password *** is no good')).toHaveLength(2);
  expect(log).not.toContain('--debug');
  expect(await taskFolders()).toEqual([]);
});

test('arguments and environment of a running Helm contain no secret, and only the runner can read its files', async () => {
  const secrets = { access: { password: 'swordfish-of-the-test' } };
  const values = { slow: true, text: 'a value of the test' };
  const task = taskOf(world.chart, { values, secrets });
  const pid = await act.startSlow(task);

  const [folder = ''] = await taskFolders();
  const path = join(runner.folder, 'tasks', folder);
  const exposed = `${await readFile(`/proc/${pid}/cmdline`, 'utf8')}\0${await readFile(`/proc/${pid}/environ`, 'utf8')}`;
  expect(exposed).not.toMatch(/swordfish|a value of the test|PRIVATE KEY|NATS_|certificate/);
  expect(exposed.split('\0')).toContain(`HOME=${path}`);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  for (const file of ['kubeconfig', 'values.yaml']) expect((await stat(join(path, file))).mode & 0o777).toBe(0o600);
  for (const below of ['tasks', 'discovery', 'charts']) {
    expect((await stat(join(runner.folder, below))).mode & 0o777).toBe(0o700);
  }

  world.tasks.cancel(task.task_id);
  await soon('the outcome of the task', () => world.tasks.endOf(task.task_id));
});

test('a canceled task ends its Helm soon and leaves a release from which the next task continues', async () => {
  const task = taskOf(world.chart, { values: { slow: true } });
  await act.startSlow(task);

  world.tasks.cancel(task.task_id);
  const end = await soon('the outcome of the task', () => world.tasks.endOf(task.task_id));

  expect(end).toMatchObject({ outcome: 'Canceled', reason: null });
  // Only a Helm that receives SIGTERM prints it.
  expect(world.tasks.textOf(task.task_id)).toContain('has been cancelled');
  expect(helmsOf(task.namespace)).toEqual([]);
  expect(await act.history(task.namespace)).toEqual(['failed']);
  expect(await taskFolders()).toEqual([]);
  const next = { ...task, task_id: crypto.randomUUID(), wait: { enabled: false, timeout_secs: 60 } };
  expect(await act.run(next)).toMatchObject({ outcome: 'Done' });
});

/** Waits for its next heartbeat; the one after that is seconds away. */
async function heartbeatOf(taskId: string): Promise<void> {
  const beats = world.tasks.beatsOf(taskId);
  await soon('a heartbeat', () => world.tasks.beatsOf(taskId) > beats);
}

/** How long after the cancellation the runner ended this Helm. */
const sigtermAfter = async (helm: number, canceledAt: number) =>
  (await soon('SIGTERM to Helm', () => sigtermAt(runner.log(), helm))) - canceledAt;

test('a Helm receives SIGTERM at the next heartbeat if the hint of a cancellation is lost', async () => {
  const task = slowly();
  const helm = await act.startSlow(task);
  await heartbeatOf(task.task_id);

  world.tasks.cancel(task.task_id, { hint: false });
  const end = await soon('the outcome of the task', () => world.tasks.endOf(task.task_id));

  expect(end).toMatchObject({ outcome: 'Canceled' });
  // Heartbeats are five seconds apart, and nothing else would end it.
  expect(sigtermAt(runner.log(), helm)).toBeDefined();
});

test('in a storm of a thousand cancellations exactly the canceled Helms end, and receive SIGTERM soon', async () => {
  const [kept, ...canceled] = [slowly(), slowly(), slowly()];
  const helms: number[] = [];
  for (const task of [kept, ...canceled]) helms.push(await act.startSlow(task));
  // So the hints must be what ends them.
  await Promise.all(canceled.map(({ task_id }) => heartbeatOf(task_id)));

  const canceledAt = Date.now();
  for (let i = 0; i < 1_000; i += 1) world.tasks.cancel(canceled[i - 499]?.task_id ?? crypto.randomUUID());
  for (const helm of helms.slice(1)) expect(await sigtermAfter(helm, canceledAt)).toBeLessThan(4_500);
  for (const { task_id, namespace } of canceled) {
    const end = await soon('the outcome of the task', () => world.tasks.endOf(task_id));
    expect(end).toMatchObject({ outcome: 'Canceled' });
    // Only a Helm that receives SIGTERM prints it.
    expect(world.tasks.textOf(task_id)).toContain('has been cancelled');
    expect(await act.history(namespace)).toEqual(['failed']);
  }
  expect(helmsOf(kept.namespace)).toHaveLength(1);

  world.tasks.cancel(kept.task_id);
  await soon('the outcome of the task', () => world.tasks.endOf(kept.task_id));
});

test('access that the cluster has revoked is replaced within the run', async () => {
  const refused = world.adminKubeconfig
    .replace(/client-certificate-data:.*/, 'token: this-is-not-a-token-of-the-cluster')
    .replace(/client-key-data:.*/, '');
  world.issueInOrder([refused, world.adminKubeconfig]);
  const before = world.issued();

  const task = taskOf(world.chart, { cluster_id: crypto.randomUUID() });

  expect(await act.run(task)).toMatchObject({ outcome: 'Done' });
  expect(world.issued() - before).toBe(2);
});

test('a right that the cluster refuses gives the outcome Forbidden before Helm starts, fails the task for good within Helm, and the task can run later', async () => {
  const name = `limited-${process.pid}`;
  const roles = '/apis/rbac.authorization.k8s.io/v1';
  const mayDo = (resources: string[], verbs: string[]) => ({ apiGroups: [''], resources, verbs });
  const role = (...rules: object[]) => ({ metadata: { name }, rules });
  const begin = [mayDo(['namespaces', 'secrets'], ['*']), mayDo(['pods', 'configmaps'], ['get', 'list'])];
  await act.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name } });
  await act.post(`${roles}/clusterroles`, role());
  await act.post(`${roles}/clusterrolebindings`, {
    metadata: { name },
    subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
  });
  const { status } = z
    .object({ status: z.object({ token: z.string() }) })
    .parse(await act.post(`/api/v1/namespaces/default/serviceaccounts/${name}/token`, { spec: {} }));
  world.issueInOrder([
    world.adminKubeconfig
      .replace(/client-certificate-data:.*/, `token: ${status.token}`)
      .replace(/client-key-data:.*/, ''),
  ]);
  const cluster_id = crypto.randomUUID();
  const task = taskOf(world.chart, { cluster_id });
  const allow = async (...rules: object[]) =>
    void (await world.api.putJson(`${roles}/clusterroles/${name}`, role(...rules), {
      signal: AbortSignal.timeout(20_000),
      deadlineMs: 10_000,
    }));

  expect(await act.run(task)).toMatchObject({
    outcome: 'Forbidden',
    reason: expect.stringMatching(
      /^The cluster refused to read .*: the account of the deployment lacks a right; deploy\/rbac\/deployer.yaml of this version has what it needs$/,
    ),
  });
  expect(world.tasks.begun).not.toContain(task.task_id);

  await allow(...begin);
  const second = { ...task, task_id: crypto.randomUUID() };
  // The API server applies the new rules a moment later.
  const end = await soon('Helm to be refused', async () => {
    const { outcome, reason } = await act.run({ ...second, task_id: crypto.randomUUID() });
    return reason?.includes('the account of the deployment lacks') ? null : { outcome, reason };
  });
  expect(end).toMatchObject({
    outcome: 'Failed',
    reason: expect.stringMatching(/^Nothing was applied.*ConfigMap probe is of a kind/),
  });

  await allow(...begin, mayDo(['configmaps'], ['*']));
  const done = await soon('Helm to be allowed', async () => {
    const { outcome } = await act.run({ ...second, task_id: crypto.randomUUID() });
    return outcome === 'Failed' ? null : outcome;
  });
  world.issueInOrder([world.adminKubeconfig]);
  expect(done).toBe('Done');
});

test('an unreachable cluster gives the outcome Unreachable, without its address if the deployment leaves it for another env', async () => {
  world.issueInOrder([world.adminKubeconfig.replace(/server:.*/, 'server: https://127.0.0.1:9')]);
  const task = taskOf(world.chart, { cluster_id: crypto.randomUUID() });
  const leaving = taskOf(world.chart, { cluster_id: crypto.randomUUID() });
  world.leaving.add(leaving.namespace);

  const [end, ofOthers] = [await act.run(task), await act.run(leaving)];
  world.issueInOrder([world.adminKubeconfig]);

  expect(end).toMatchObject({ outcome: 'Unreachable' });
  expect(end.reason).toContain('127.0.0.1:9 refused the connection');
  expect(ofOthers).toMatchObject({
    outcome: 'Unreachable',
    reason: expect.stringContaining('*** refused the connect'),
  });
  expect(`${ofOthers.reason} ${world.tasks.textOf(leaving.task_id)}`).not.toContain('127.0.0.1');
  expect(world.tasks.begun).not.toContain(task.task_id);
});

test('a claim that is answered twice runs once', async () => {
  const task = taskOf(world.chart, { values: { slow: true } });
  const helm = await act.startSlow(task);

  world.tasks.give(task);
  await soon('the second answer', () => runner.log().includes('a claim was answered twice'));

  expect(helmsOf(task.namespace)).toEqual([helm]);
  world.tasks.cancel(task.task_id);
  await soon('the outcome of the task', () => world.tasks.endOf(task.task_id));
});
