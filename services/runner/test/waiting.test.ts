import { waitUntil } from '@berth/client';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { deployerRole } from './support/fake-cluster-sync.ts';
import { taskOf } from './support/fake-tasks.ts';
import { actionsIn } from './support/helm-actions.ts';
import { type RunnerProcess, type RunnerWorld, startRunnerWorld } from './support/runner-world.ts';

let world: RunnerWorld;
let runner: RunnerProcess;
let act: ReturnType<typeof actionsIn>;
beforeAll(async () => {
  // The default level of pod security does not allow host ports.
  world = await startRunnerWorld({ podSecurity: 'privileged' });
  act = actionsIn(world);
  // Lets all deployments have a custom kind, as an operator could.
  const role = deployerRole();
  const gadgets = { apiGroups: ['example.com'], resources: ['gadgets'], verbs: ['*'] };
  await act.post('/apis/rbac.authorization.k8s.io/v1/clusterroles', { ...role, rules: [...role.rules, gadgets] });
  await act.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  runner = await world.start({ RUNNER_CONCURRENCY: '16' });
});
afterAll(async () => {
  await runner?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

const labels = { app: 'web' };
const container = { name: 'main', image: 'registry.example.com/web:1' };
const podTemplate = (spec: object = {}, simulate?: string) => ({
  metadata: { labels, ...(simulate !== undefined && { annotations: { 'berth.dev/simulate': simulate } }) },
  spec: { containers: [container], ...spec },
});
const workload = (kind: string, template: object, spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'web' },
  spec: { selector: { matchLabels: labels }, template, ...(kind === 'StatefulSet' && { serviceName: 'web' }), ...spec },
});
const claim = { metadata: { name: 'data' }, spec: { storageClassName: 'absent', accessModes: ['ReadWriteOnce'] } };
const size = { resources: { requests: { storage: '1Gi' } } };
const quota = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'few', annotations: { 'helm.sh/hook': 'pre-install' } },
  spec: { hard: { pods: '0' } },
};
const hook = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'migrate', annotations: { 'helm.sh/hook': 'pre-install' } },
  spec: { backoffLimit: 0, template: podTemplate({ restartPolicy: 'Never' }, 'fail') },
};
const longHook = { ...hook, spec: { ...hook.spec, template: podTemplate({ restartPolicy: 'Never' }, 'not-ready') } };

/** A custom kind without a status subresource, so that a chart can set the status that a controller would set. */
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Gadget', plural: 'gadgets', singular: 'gadget', listKind: 'GadgetList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
const gadget = (status: object) => ({
  apiVersion: 'example.com/v1',
  kind: 'Gadget',
  metadata: { name: 'cooler' },
  status,
});
const unready = {
  type: 'Ready',
  status: 'False',
  reason: 'NoSupply',
  message: 'the supply swordfish-of-a-gadget is off',
};

/** Many tasks run at the same time here, so each takes longer. */
const patiently = { withinMs: 120_000, everyMs: 50, longestPauseMs: 50 };
const ended = (task: ClaimedTask) =>
  waitUntil(async () => world.tasks.endOf(task.task_id), { what: 'the outcome of the task', ...patiently });
const said = (task: ClaimedTask, text: string) =>
  waitUntil(async () => world.tasks.waitsOf(task.task_id).find((said) => said.includes(text)), {
    what: `${text}, and not ${world.tasks.waitsOf(task.task_id).join('; ')}`,
    ...patiently,
  });
const run = (task: ClaimedTask) => {
  world.tasks.give(task);
  return ended(task);
};

const deploying = (objects: object[], more: Partial<ClaimedTask> = {}) =>
  taskOf(world.chart, {
    values: JSON.parse(JSON.stringify({ objects })),
    wait: { enabled: true, timeout_secs: 25 },
    ...more,
  });

describe.concurrent('a deploy reports what it waits for and, in the end, why it failed:', { timeout: 150_000 }, () => {
  test.for<[string, object[], string]>([
    [
      'pods that fit on no node, in the words of the scheduler',
      [workload('Deployment', podTemplate({ nodeSelector: { never: 'yes' } }), { replicas: 2 })],
      "Deployment web: 0 of 2 ready; 2 of 2 pods unschedulable: 0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector",
    ],
    [
      'an image that cannot be pulled, by its name',
      [workload('StatefulSet', podTemplate({}, 'image-pull-error'))],
      'StatefulSet web: 0 of 1 ready; 1 of 1 pod: container main is waiting: ',
    ],
    [
      'containers that crash, with their exit code',
      [workload('DaemonSet', podTemplate({}, 'crash-loop'))],
      'DaemonSet web: 0 of 3 ready; 3 of 3 pods: container main is waiting: CrashLoopBackOff, last exit code 1',
    ],
    [
      'a claim that gets no volume',
      [
        { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...claim, spec: { ...claim.spec, ...size } },
        workload(
          'Deployment',
          podTemplate({ volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] }),
        ),
      ],
      'PersistentVolumeClaim data and 1 more: not bound; storageclass.storage.k8s.io "absent" not found',
    ],
    [
      'pods that a quota refuses to a Deployment',
      [quota, workload('Deployment', podTemplate())],
      'Deployment web: 0 of 1 ready; its pods are refused: pods "web-',
    ],
    [
      'pods that a quota refuses to a DaemonSet',
      [quota, workload('DaemonSet', podTemplate())],
      'DaemonSet web: 0 of 3 ready; its pods are refused: Error creating: pods "web-',
    ],
    [
      'a custom resource, in the words of its condition',
      [gadget({ observedGeneration: 1, conditions: [{ ...unready, message: 'the supply is off' }] })],
      'Gadget cooler: not ready; NoSupply: the supply is off',
    ],
    [
      'a custom resource that its controller has not observed',
      [gadget({ observedGeneration: 0, conditions: [{ type: 'Ready', status: 'True' }] })],
      'Gadget cooler: not ready; its controller has observed generation 0 of 1',
    ],
    ['a hook that does not end', [longHook, workload('Deployment', podTemplate())], 'Job migrate: a hook, not done; '],
  ])('%s', async ([, objects, cause]) => {
    const task = deploying(objects, { wait: { enabled: true, timeout_secs: 300 } });
    world.tasks.give(task);

    await said(task, `Waiting for ${cause}`);

    world.tasks.cancel(task.task_id);
    expect(await ended(task)).toMatchObject({ outcome: 'Canceled', reason: null });
  });

  test('what it waited for last, when Helm gives up', async () => {
    const task = deploying([workload('Deployment', podTemplate({}, 'crash-loop'))]);

    expect(await run(task)).toMatchObject({
      outcome: 'Failed',
      reason: expect.stringContaining('; it waited for Deployment web: 0 of 1 ready'),
    });
  });

  test('a hook that fails at once, with the exit code of its pod', async () => {
    const task = deploying([hook]);

    const { outcome, reason } = await run(task);

    expect(outcome).toBe('Failed');
    expect(reason).toMatch(
      /Job migrate: a hook, 1 of 1 attempts failed; 1 of 1 pod: container main ended with exit code 1/,
    );
    const [ofHelm = ''] = reason?.split('; it waited for ') ?? [];
    const log = world.tasks.textOf(task.task_id);
    expect(log.split(ofHelm.slice(0, 60))).toHaveLength(2);
    expect(log).toContain('\nit waited for Job migrate: a hook, 1 of 1 attempts failed');
  });

  test('a host port that is taken on each node, long before Helm gives up', async () => {
    const port = podTemplate({ containers: [{ ...container, ports: [{ containerPort: 80, hostPort: 31_999 }] }] });
    await run(deploying([workload('DaemonSet', port)]));
    const task = deploying([workload('DaemonSet', port)], { wait: { enabled: true, timeout_secs: 300 } });
    world.tasks.give(task);

    const text = await said(task, 'free ports');

    expect(text).toContain('DaemonSet web: 0 of 3 ready; 3 of 3 pods unschedulable: 0/3 nodes are available');
    world.tasks.cancel(task.task_id);
    expect(await ended(task)).toMatchObject({ outcome: 'Canceled', reason: null });
  });

  test('not a secret of the task that a message of the cluster repeats', async () => {
    const secret = 'swordfish-of-the-test';
    const image = { ...container, image: `registry.example.com/${secret}:1` };
    const task = deploying([workload('Deployment', podTemplate({ containers: [image] }, 'image-pull-error'))], {
      confidential: [secret],
      wait: { enabled: true, timeout_secs: 300 },
    });

    world.tasks.give(task);
    await said(task, 'registry.example.com/***:1');
    world.tasks.cancel(task.task_id);
    await ended(task);

    expect(world.tasks.waitsOf(task.task_id).join()).not.toContain('swordfish');
    expect(runner.log()).not.toContain(secret);
  });

  test('not a secret in the condition of a custom resource, and the condition again when Helm gives up', async () => {
    const task = deploying([gadget({ observedGeneration: 1, conditions: [unready] })], {
      confidential: ['swordfish-of-a-gadget'],
    });

    expect(await run(task)).toMatchObject({
      outcome: 'Failed',
      reason: expect.stringContaining('; it waited for Gadget cooler: not ready; NoSupply: the supply *** is off'),
    });
  });

  test('not workloads outside its release, and nothing at all if it does not wait', async () => {
    const first = deploying([]);
    await run(first);
    await act.post(
      `/apis/apps/v1/namespaces/${first.namespace}/deployments`,
      workload('Deployment', podTemplate({}, 'crash-loop')),
    );
    const stuck = workload('StatefulSet', podTemplate({}, 'not-ready'));
    const next = { ...first, task_id: crypto.randomUUID(), values: JSON.parse(JSON.stringify({ objects: [stuck] })) };

    expect(await run(next)).toMatchObject({
      reason: expect.stringContaining('; it waited for StatefulSet web: 0 of 1 ready'),
    });
    const unwatched = { ...next, task_id: crypto.randomUUID(), wait: { enabled: false, timeout_secs: 25 } };
    expect(await run(unwatched)).toMatchObject({ outcome: 'Done', reason: null });

    expect(world.tasks.waitsOf(next.task_id).join()).not.toContain('Deployment web');
    expect(world.tasks.waitsOf(unwatched.task_id)).toEqual([]);
  });

  test('not by Helm for the hook that another deployment of the chart runs once it is ready', async () => {
    const lateHook = { ...longHook, metadata: { name: 'late', annotations: { 'helm.sh/hook': 'post-install' } } };
    const wait = { enabled: true, timeout_secs: 300 };
    const hooked = deploying([lateHook], { wait });
    world.tasks.give(hooked);
    await said(hooked, 'Waiting for Job late: a hook');
    const task = deploying([workload('Deployment', podTemplate({}, 'not-ready'))], { wait });

    world.tasks.give(task);

    const awaits = async () => world.tasks.awaiting.has(task.task_id);
    await waitUntil(awaits, { what: 'the end of Helm', ...patiently });
    expect(world.tasks.awaiting.has(hooked.task_id)).toBe(false);
    for (const { task_id } of [hooked, task]) world.tasks.cancel(task_id);
    expect(await ended(hooked)).toMatchObject({ outcome: 'Canceled' });
    expect(await ended(task)).toMatchObject({ outcome: 'Canceled' });
  });

  test('only the message of Helm if Helm failed for another reason', async () => {
    const task = taskOf(world.chart, { values: { fail: 'no such luck' } });

    const { reason } = await run(task);

    expect(reason).toContain('no such luck');
    expect(reason).not.toContain('it waited for');
  });
});

test('a restart reports what its workload waits for', async () => {
  const installed = deploying([]);
  await run(installed);
  const path = `/apis/apps/v1/namespaces/${installed.namespace}/deployments`;
  const { metadata } = z
    .object({ metadata: z.object({ uid: z.string() }) })
    .parse(await act.post(path, workload('Deployment', podTemplate({}, 'crash-loop'))));
  const restart = {
    ...installed,
    task_id: crypto.randomUUID(),
    action: 'restart' as const,
    wait: { enabled: true, timeout_secs: 300 },
    restart: { kind: 'Deployment' as const, name: 'web', uid: metadata.uid, at: '2026-01-02T03:04:05.678Z' },
  };

  world.tasks.give(restart);

  const cause =
    'Deployment web: 0 of 1 ready; 1 of 1 pod: container main is waiting: CrashLoopBackOff, last exit code 1';
  await said(restart, `Waiting for ${cause}`);

  world.tasks.cancel(restart.task_id);
  expect(await ended(restart)).toMatchObject({ outcome: 'Canceled' });
});

test('an uninstall reports what blocks the deletion of the namespace', async () => {
  const task = deploying([]);
  await run(task);
  const held = { metadata: { name: 'held', finalizers: ['berth.dev/held'] } };
  const path = `/api/v1/namespaces/${task.namespace}/configmaps`;
  await act.post(path, held);
  const uninstall = { ...task, task_id: crypto.randomUUID(), action: 'uninstall' as const, delete_namespace: true };
  world.tasks.give(uninstall);

  const text = await said(uninstall, 'berth.dev/held');

  expect(text).toContain(`Waiting for the namespace ${task.namespace}: being deleted: `);
  const call = { signal: AbortSignal.timeout(10_000), deadlineMs: 10_000 };
  await world.api.patchJson(`${path}/held`, { metadata: { finalizers: null } }, call);
  expect(await ended(uninstall)).toMatchObject({
    outcome: 'Done',
    reason: null,
  });
});
