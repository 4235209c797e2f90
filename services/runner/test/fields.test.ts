import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@berth/contracts/fields/json';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { randomOf } from '@berth/testing/random-of';
import { dryRunOf, taskOf } from './support/fake-tasks.ts';
import { soon } from './support/helm-actions.ts';
import { upgradeByHand } from './support/helm-by-hand.ts';
import { type Running, startRunning } from './support/start-running.ts';

let running: Running;
let world: Running['world'];
let act: Running['act'];
let planned: Running['planned'];
beforeAll(async () => {
  running = await startRunning();
  ({ world, act, planned } = running);
});
afterAll(() => running?.[Symbol.asyncDispose]());

const call = () => ({ signal: AbortSignal.timeout(20_000), deadlineMs: 10_000 });
const JobStatus = z.object({ status: z.looseObject({ startTime: z.string().optional() }) });
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
const upgradeAsOlderHelm = (namespace: string, objects: JsonObject[]) =>
  upgradeByHand(world, namespace, { objects }, '--server-side=false');

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
    // Where the job controller was quicker, its time stays.
    const { startTime = now() } = JobStatus.parse(await world.api.getJson(job, call())).status;
    await world.api.patchJson(`${job}/status`, { status: { ...end, startTime, completionTime: now() } }, call());

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

  test('takes over a release that an older Helm applied by itself, and removes objects that the chart no longer has', async () => {
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

const planOf = (task: ClaimedTask, objects: JsonObject[]) =>
  planned(dryRunOf(task, { values: { objects }, fields: { keep: [] }, within_ms: 60_000 }));

describe('a plan', () => {
  test('names the outcome of each contested field, and shows no change for kept fields', async () => {
    const task = await installed([web({ replicas: 2 })]);
    await scale(task.namespace, 5, 'kubectl');
    const changed = await planOf(task, [web({ replicas: 2 })]);
    expect(changed.contested).toMatchObject([
      {
        kind: 'Deployment',
        name: 'web',
        path: '/spec/replicas',
        manager: 'kubectl (scale)',
        becomes: 'taken_back',
        live: 5,
        chart: 2,
      },
    ]);
    expect(changed.objects).toMatchObject([
      { action: 'change', fields: [{ path: '/spec/replicas', before: 5, after: 2 }] },
    ]);

    await scale(task.namespace, 6, 'keda-operator');
    const same = await planOf(task, [web({ replicas: 2 })]);
    expect(same).toMatchObject({
      objects: [],
      unchanged: 2,
      untried: [],
      contested: [{ becomes: 'kept', manager: 'keda-operator (scale)', live: 6, chart: 2 }],
    });
  });

  test('names each object that the cluster would refuse, with its words, and what could not be tried', async () => {
    const task = await installed([web({ replicas: 1 })]);
    const { namespace } = task;
    await act.post(`/api/v1/namespaces/${namespace}/resourcequotas`, {
      metadata: { name: 'small' },
      spec: { hard: { 'count/configmaps': '2' } },
    });
    await soon(
      'the quota to be counted',
      async () =>
        z
          .object({ status: z.object({ used: z.record(z.string(), z.string()).optional() }).optional() })
          .parse(await act.get(`/api/v1/namespaces/${namespace}/resourcequotas/small`)).status?.used,
    );
    const map = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    const binding: JsonObject = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'reads' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reads' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
    };
    const role: JsonObject = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'reads' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
    };
    const typo: JsonObject = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'typo' }, spec: { prots: [] } };

    const result = await planOf(task, [web({ replicas: -1 }), map('over'), typo, role, binding]);

    const reasons = result.objects.map(({ action, kind, name, reason }) => `${action} ${kind} ${name}: ${reason}`);
    expect(reasons).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^blocked Deployment web: The cluster refuses it: .*spec.replicas: Invalid value: -1/),
        expect.stringMatching(/^blocked ConfigMap over: The cluster refuses it: .*exceeded quota: small/),
        expect.stringMatching(/^blocked Service typo: The cluster refuses it: .*spec.prots/),
        'create Role reads: null',
        'create RoleBinding reads: null',
      ]),
    );
    expect(result.untried).toEqual([
      { reason: 'they need objects that the chart creates before them', objects: 1, examples: ['RoleBinding reads'] },
    ]);
    expect(await act.exists(`/api/v1/namespaces/${namespace}/configmaps/over`)).toBe(false);
  });

  test('of a release whose namespace is not there says that nothing was tried', async () => {
    const task = taskOf(world.chart);
    const result = await planOf(task, [web({ replicas: 1 })]);
    expect(result).toMatchObject({
      contested: [],
      untried: [
        { reason: 'the namespace does not exist yet', objects: 2, examples: ['ConfigMap probe', 'Deployment web'] },
      ],
    });
  });
});

/** Who wrote the replicas last. */
type Writer = 'helm' | 'kubectl' | 'keda-operator' | 'kube-controller-manager';
const scalers = { none: null, hpa: 'kube-controller-manager', keda: 'keda-operator' } as const;

const seed = Number(process.env['FIELDS_SEED'] ?? 21);

test('twenty sequences of scaling, upgrades, rollbacks and plans fail at no conflict and reset no replicas of an autoscaler', async () => {
  const modes = Array.from({ length: 20 }, (_, at) => (['none', 'hpa', 'keda'] as const)[at % 3] ?? 'none');
  const wrong = await Promise.all(modes.map((mode, at) => sequence(mode, randomOf(seed + at))));

  expect(wrong.flat()).toEqual([]);
});

/** The fields that differ from the expected ones, in words. */
async function sequence(mode: keyof typeof scalers, random: () => number): Promise<string[]> {
  const wrong: string[] = [];
  const same = (what: string, is: unknown, should: unknown) => {
    if (!isDeepStrictEqual(is, should)) wrong.push(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(should)}`);
  };
  const below = (most: number) => Math.floor(random() * most);
  const revisions = [{ replicas: 1 + below(5), image: 'web:0' }];
  const objectsOf = ({ replicas, image }: { replicas: number; image: string }) => [web({ replicas }, image)];
  const first = revisions[0] ?? { replicas: 1, image: 'web:0' };
  const task = await installed(objectsOf(first));
  const { namespace } = task;
  if (mode === 'hpa') await autoscale(namespace);
  let [live, writer]: [number, Writer] = [first.replicas, 'helm'];
  const steps: string[] = [];
  const expected = (chart: number) => {
    const isKept = mode === 'hpa' || writer === 'keda-operator';
    return { isKept, isContested: live !== chart && (writer !== 'helm' || mode === 'hpa') };
  };

  for (let step = 0; step < 6; step += 1) {
    const action = below(4);
    if (action === 0) {
      const by = below(2) === 0 ? 'kubectl' : scalers[mode];
      const to = 1 + below(8);
      if (by === null || to === live) continue;
      steps.push(`${by} scales to ${to}`);
      await scale(namespace, to, by);
      [live, writer] = [to, by];
      continue;
    }
    const isBack = action === 1;
    const next = isBack
      ? (revisions[below(revisions.length)] ?? first)
      : { replicas: 1 + below(5), image: `web:${step + 1}` };
    const { isKept, isContested } = expected(next.replicas);
    const what = `${mode} ${steps.join(', ')}; then ${JSON.stringify(next)}`;
    const becomes = isKept ? 'kept' : 'taken_back';
    const said = isContested ? [becomes] : [];
    if (action === 3) {
      const { contested = [], objects } = await planOf(task, objectsOf(next));
      same(
        `plan of ${what}`,
        contested.map((one) => one.becomes),
        said,
      );
      const others = objects.filter((one) => one.action !== 'change');
      same(`objects of ${what}`, others, []);
      continue;
    }
    steps.push(`${isBack ? 'back' : 'on'} to ${JSON.stringify(next)}`);
    const deploy = deployOf(task, objectsOf(next));
    const { outcome, reason } = await act.run(deploy);
    same(`outcome of ${what}`, [outcome, reason], ['Done', null]);
    revisions.push(next);
    if (!isKept) [live, writer] = [next.replicas, 'helm'];
    same(`state after ${what}`, await liveOf(namespace), { replicas: live, image: next.image });
    const lines = linesOf(deploy).map((line) => (line.includes('is kept') ? 'kept' : 'taken_back'));
    same(`log of ${what}`, lines, said);
  }
  return wrong;
}
