import type { Stack } from '../stack/start-stack.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { publishSampleChart, sampleChart } from './publish-sample-chart.ts';
import { Chart, Cluster, Deployment, Env, Registry, type Row, Task, Tracked } from './rows.ts';
import { signInAsAda } from './sign-in.ts';
import type { Steps } from './steps.ts';
import { waitFor } from './wait-for.ts';

export interface JourneyResult {
  token: string;
  deployment: Row<typeof Deployment>;
}

interface Journey {
  stack: Stack;
  steps: Steps;
  signal: AbortSignal;
}

/**
 * The main job, watched: a chart is pushed, found, deployed by Helm and shown running. What an earlier start has left is
 * found again and checked, not made twice.
 */
export async function runJourney(journey: Journey): Promise<JourneyResult> {
  const { stack, steps, signal } = journey;
  const token = await steps.step('sign in through the identity provider as Ada, a site admin', () =>
    signInAsAda(journey),
  );
  const api = createApiClient({ url: stack.url, credential: { header: 'x-service-token', value: token }, signal });

  await steps.step(`package the sample chart ${sampleChart.name} and push it to the registry`, () =>
    publishSampleChart(journey),
  );
  const { registry, chart } = await steps.step('wait until the catalogue has it', () => findChart(api, signal));
  const env = await steps.step('create the env demo', () => createEnv(api));
  const cluster = await steps.step(`give it the cluster ${stack.cluster}`, () => giveCluster(api, env, journey));
  const { deployment, task } = await steps.step('create the deployment hello', () =>
    createDeployment(api, { registry, chart, cluster }),
  );
  if (task) await steps.step('follow its task', () => followTask(api, task, steps));
  const running = await steps.step('see it running', () => seeRunning(api, deployment, journey));
  return { token, deployment: running };
}

async function findChart(api: ApiClient, signal: AbortSignal) {
  const registry = await waitFor(
    `the registry ${sampleChart.repository} in the catalogue`,
    async () =>
      (await api.list(`/helm-registries?repo_name=${encodeURIComponent(sampleChart.repository)}`, Registry))[0],
    { withinMs: 30_000, signal },
  );
  const chart = await waitFor(
    `the chart ${sampleChart.name} ${sampleChart.version} in the catalogue`,
    async () => {
      const charts = await api.list(`/helm-charts?helm_registry_id=${registry.id}&available=true`, Chart);
      return charts.find(({ image_tag }) => image_tag === sampleChart.version);
    },
    { withinMs: 30_000, signal },
  );
  if (chart.error !== null) throw new Error(`the catalogue lists the sample chart with an error: ${chart.error}`);
  return { registry, chart };
}

async function createEnv(api: ApiClient): Promise<Row<typeof Env>> {
  const [existing] = await api.list('/envs?name=demo', Env);
  return existing ?? api.send('POST', '/envs', { name: 'demo' }, Env);
}

async function giveCluster(
  api: ApiClient,
  env: Row<typeof Env>,
  { stack, signal }: Journey,
): Promise<Row<typeof Cluster>> {
  const byName = async () => (await api.list(`/k8s-clusters?name=${encodeURIComponent(stack.cluster)}`, Cluster))[0];
  const found = await waitFor(`the cluster ${stack.cluster}`, byName, { withinMs: 30_000, signal });
  if (found.env_id !== env.id || found.ignore) {
    await api.send('PUT', `/k8s-clusters/${found.id}`, { env_id: env.id, ignore: false }, Cluster);
  }
  return waitFor(
    `the cluster ${stack.cluster} to answer`,
    async () => {
      const cluster = await byName();
      return cluster?.is_ok ? cluster : null;
    },
    { withinMs: 60_000, signal },
  );
}

interface Parts {
  registry: Row<typeof Registry>;
  chart: Row<typeof Chart>;
  cluster: Row<typeof Cluster>;
}

async function createDeployment(api: ApiClient, { registry, chart, cluster }: Parts) {
  const mine = await api.list(
    `/deployments?cluster_id=${cluster.id}&kind_id=${registry.kind_id}&name=hello`,
    Deployment,
  );
  const existing = mine.find(({ name }) => name === 'hello');
  const deployment =
    existing ??
    (await api.send(
      'POST',
      '/deployments',
      {
        name: 'hello',
        kind_id: registry.kind_id,
        cluster_id: cluster.id,
        helm_chart_id: chart.id,
        config: sampleChart.inputs,
        values_override: null,
      },
      Deployment,
    ));
  const [task] = await api.list(`/deployment-tasks?deployment_id=${deployment.id}&per_page=1`, Task);
  return { deployment, task: existing && task?.status === 'Done' ? undefined : task };
}

async function followTask(api: ApiClient, { id }: Row<typeof Task>, { detail }: Steps): Promise<void> {
  for await (const line of api.lines(`/deployment-tasks/${id}/log?follow=true`)) detail(line);
  const task = await api.get(`/deployment-tasks/${id}`, Task);
  if (task.status !== 'Done') throw new Error(`the task ended ${task.status}: ${task.reason ?? 'without a reason'}`);
}

async function seeRunning(api: ApiClient, { id }: Row<typeof Deployment>, { steps, signal }: Journey) {
  const deployment = await waitFor(
    'the deployment to be Running',
    async () => {
      const now = await api.get(`/deployments/${id}`, Deployment);
      if (now.status === 'Error') throw new Error(`the deployment is in Error: ${now.reason ?? 'without a reason'}`);
      return now.status === 'Running' ? now : null;
    },
    { withinMs: 60_000, signal },
  );
  const tracked = await waitFor(
    'its workload to be ready',
    async () => {
      const rows = await api.list(`/k8s-resources?deployment_id=${id}&per_page=100`, Tracked);
      const workloads = rows.filter(({ kind }) => kind === 'Deployment');
      const ready =
        workloads.length > 0 &&
        workloads.every(
          ({ status_color }) => status_color.length > 0 && status_color.every((color) => color === 'Success'),
        );
      return ready ? rows : null;
    },
    { withinMs: 60_000, signal },
  );
  for (const { kind, name, status_color } of tracked)
    steps.detail(`${kind} ${name} ${status_color.join(' ')}`.trimEnd());
  return deployment;
}
