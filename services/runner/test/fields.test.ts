import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JsonObject } from '@berth/contracts/fields/json';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { taskOf } from './support/fake-tasks.ts';
import { actionsIn, soon } from './support/helm-actions.ts';
import { testChartFiles } from './support/probe-chart.ts';
import { type RunnerProcess, type RunnerWorld, startRunnerWorld } from './support/runner-world.ts';

const run = promisify(execFile);

let world: RunnerWorld;
let runner: RunnerProcess;
let act: ReturnType<typeof actionsIn>;
beforeAll(async () => {
  world = await startRunnerWorld();
  act = actionsIn(world);
  runner = await world.start();
});
afterAll(async () => {
  await runner?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

const call = () => ({ signal: AbortSignal.timeout(20_000), deadlineMs: 10_000 });
const labels = { app: 'web' };
const web = (spec: JsonObject, image = 'web:1'): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: labels },
    ...spec,
    // No node has the label, so nothing runs.
    template: {
      metadata: { labels },
      spec: { nodeSelector: { never: 'yes' }, containers: [{ name: 'web', image }] },
    },
  },
});

const pathOf = (namespace: string) => `/apis/apps/v1/namespaces/${namespace}/deployments/web`;
const withoutWait = { enabled: false, timeout_secs: 60 };

const deployOf = (task: ClaimedTask, objects: JsonObject[], more: Partial<ClaimedTask> = {}): ClaimedTask =>
  taskOf(world.chart, {
    namespace: task.namespace,
    deployment_id: task.deployment_id,
    values: { objects },
    wait: withoutWait,
    ...more,
  });

const deployed = async (task: ClaimedTask): Promise<ClaimedTask> => {
  expect(await act.run(task)).toMatchObject({ outcome: 'Done', reason: null });
  return task;
};

const installed = (objects: JsonObject[]) => deployed(taskOf(world.chart, { values: { objects }, wait: withoutWait }));

/** As `kubectl scale`, an autoscaler, or anything else does it. */
const scale = (namespace: string, replicas: number, manager: string) =>
  world.api.patchJson(`${pathOf(namespace)}/scale?fieldManager=${manager}`, { spec: { replicas } }, call());

const autoscale = (namespace: string) =>
  act.post(`/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`, {
    metadata: { name: 'web' },
    spec: {
      minReplicas: 1,
      maxReplicas: 50,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
      ],
    },
  });

/** Helm 3 compared the objects itself. */
async function upgradeAsOlderHelm(namespace: string, objects: JsonObject[]): Promise<void> {
  await using folder = await temporaryFolder();
  for (const [name, text] of Object.entries(testChartFiles)) {
    await mkdir(join(folder.path, name, '..'), { recursive: true });
    await writeFile(join(folder.path, name), text);
  }
  await writeFile(join(folder.path, 'objects.json'), JSON.stringify({ objects }));
  const values = ['--values', join(folder.path, 'objects.json')];
  const place = ['--namespace', namespace, '--kubeconfig', world.kubeconfigFile];
  await run(world.helm, ['upgrade', namespace, folder.path, '--server-side=false', ...values, ...place]);
}

async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'berth-fields-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

const now = () => new Date().toISOString().replace(/\.\d+/, '');

const Live = z.object({
  spec: z.object({
    replicas: z.number(),
    template: z.object({ spec: z.object({ containers: z.array(z.object({ image: z.string() })) }) }),
  }),
});
const liveOf = async (namespace: string) => {
  const { spec } = Live.parse(await act.get(pathOf(namespace)));
  return { replicas: spec.replicas, image: spec.template.spec.containers[0]?.image };
};

const linesOf = (task: ClaimedTask) =>
  world.tasks
    .textOf(task.task_id)
    .split('\n')
    .filter((text) => text.includes('/spec/'));

describe('a deploy', () => {
  test('after kubectl scale takes the replicas back and says so', async () => {
    const task = await installed([web({ replicas: 2 })]);
    await scale(task.namespace, 4, 'kubectl');

    const next = await deployed(deployOf(task, [web({ replicas: 2 }, 'web:2')]));

    expect(await liveOf(task.namespace)).toEqual({ replicas: 2, image: 'web:2' });
    expect(linesOf(next)).toEqual([
      "Deployment web: /spec/replicas (4 in the cluster, 2 in the chart), which kubectl (scale) has changed, is taken back: the chart's value applies",
    ]);
  });

  test('keeps the replicas that a HorizontalPodAutoscaler scales, whether the chart sets them or not any longer', async () => {
    const task = await installed([web({ replicas: 3 })]);
    await autoscale(task.namespace);

    // Helm alone owns the replicas: left out of what it applies, they would fall back to 1.
    const without = await deployed(deployOf(task, [web({}, 'web:2')]));
    expect(await liveOf(task.namespace)).toEqual({ replicas: 3, image: 'web:2' });
    expect(linesOf(without)).toEqual([]);

    await scale(task.namespace, 7, 'kube-controller-manager');
    const withOther = await deployed(deployOf(task, [web({ replicas: 2 }, 'web:3')]));
    expect(await liveOf(task.namespace)).toEqual({ replicas: 7, image: 'web:3' });
    expect(linesOf(withOther)).toEqual([
      'Deployment web: /spec/replicas (7 in the cluster, 2 in the chart), which kube-controller-manager (scale) has changed, is kept: the HorizontalPodAutoscaler web scales the object',
    ]);
  });

  test('keeps replicas that are scaled while its hooks run', async () => {
    const task = await installed([web({ replicas: 3 })]);
    await autoscale(task.namespace);
    const slow: JsonObject = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'slow', annotations: { 'helm.sh/hook': 'pre-upgrade' } },
      spec: {
        parallelism: 0,
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'slow', image: 'slow' }] } },
      },
    };
    const next = deployOf(task, [web({ replicas: 3 }, 'web:2'), slow], { wait: { enabled: true, timeout_secs: 60 } });
    world.tasks.give(next);
    const job = `/apis/batch/v1/namespaces/${task.namespace}/jobs/slow`;
    await soon('the hook to run', () => act.exists(job));

    await scale(task.namespace, 9, 'kube-controller-manager');
    const end = {
      conditions: [
        { type: 'Complete', status: 'True' },
        { type: 'SuccessCriteriaMet', status: 'True' },
      ],
    };
    await world.api.patchJson(`${job}/status`, { status: { ...end, startTime: now(), completionTime: now() } }, call());

    await soon('the new image', async () => (await liveOf(task.namespace)).image === 'web:2');
    expect(await liveOf(task.namespace)).toEqual({ replicas: 9, image: 'web:2' });
    world.tasks.cancel(next.task_id);
    await soon('the end of the task', () => world.tasks.endOf(next.task_id));
  });

  test('keeps what its paths name, takes other fields back, and names both', async () => {
    const task = await installed([web({ replicas: 1 })]);
    const container = { name: 'web', image: 'web:by-hand', env: [{ name: 'LEVEL', value: 'debug' }] };
    const patch = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } };
    await world.api.applyJson(
      pathOf(task.namespace),
      { ...patch, spec: { replicas: 2, template: { spec: { containers: [container] } } } },
      'operator',
      call(),
    );

    const keep = ['Deployment/web:/spec/template/spec/containers/name=web/image'];
    const next = await deployed(deployOf(task, [web({ replicas: 1 }, 'web:2')], { fields: { keep } }));

    expect(await liveOf(task.namespace)).toEqual({ replicas: 1, image: 'web:by-hand' });
    expect(linesOf(next)).toEqual([
      "Deployment web: /spec/replicas (2 in the cluster, 1 in the chart), which operator has changed, is taken back: the chart's value applies",
      'Deployment web: /spec/template/spec/containers/name=web/image, which operator has changed, is kept: its path is among those to keep',
    ]);
  });

  test('takes over a release that an older Helm applied by itself, and removes what the chart has no longer', async () => {
    const task = taskOf(world.chart, { wait: withoutWait });
    await deployed({ ...task, values: { objects: [] } });
    const { namespace } = task;
    await upgradeAsOlderHelm(namespace, [web({ replicas: 2, minReadySeconds: 9 })]);
    await scale(namespace, 4, 'kubectl');

    await deployed(deployOf(task, [web({ replicas: 2 }, 'web:2')]));

    expect(await liveOf(namespace)).toEqual({ replicas: 2, image: 'web:2' });
    expect(await act.get(pathOf(namespace))).not.toHaveProperty('spec.minReadySeconds');
  });

  test('applies a hook again that is not created anew, although somebody has changed it', async () => {
    const annotations = { 'helm.sh/hook': 'pre-install,pre-upgrade', 'helm.sh/hook-delete-policy': 'hook-failed' };
    const hook = (text: string): JsonObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'lasting', annotations },
      data: { text, other: text },
    });
    const task = await installed([hook('one')]);
    const path = `/api/v1/namespaces/${task.namespace}/configmaps/lasting`;
    await world.api.patchJson(`${path}?fieldManager=kubectl-edit`, { data: { text: 'by hand' } }, call());

    await deployed(deployOf(task, [hook('two')]));

    expect(await act.get(path)).toMatchObject({ data: { text: 'by hand', other: 'two' } });
  });
});
