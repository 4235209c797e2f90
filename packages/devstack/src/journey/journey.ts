import { readyWithinMs, type Stack } from '../stack/start-stack.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { ensureEnv, findChart, giveCluster, type Sample } from './find-sample.ts';
import { askForHello } from './hello-deployment.ts';
import { publishSampleChart, sampleChart } from './publish-sample-chart.ts';
import { Deployment, type Row, Task, Tracked } from './rows.ts';
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
  const patience = { withinMs: readyWithinMs, say: steps.detail };
  const token = await steps.step('sign in through the identity provider as Ada, a site admin', () =>
    signInAsAda({ stack, signal, patience }),
  );
  const api = createApiClient({
    url: stack.url,
    credential: { header: 'x-service-token', value: token },
    signal,
    patience,
  });

  await steps.step(`package the sample chart ${sampleChart.name} and push it to the registry`, () =>
    publishSampleChart(journey),
  );
  const { registry, chart } = await steps.step('wait until the catalogue has it', () => findChart(api, signal));
  const env = await steps.step('create the env demo', () => ensureEnv(api, 'demo'));
  const cluster = await steps.step(`give it the cluster ${stack.cluster}`, () =>
    giveCluster(api, { cluster: stack.cluster, env, signal }),
  );
  const { deployment, task } = await steps.step('create the deployment hello', () =>
    createDeployment(api, { registry, chart, cluster }),
  );
  if (task) await steps.step('follow its task', () => followTask(api, task, steps));
  const running = await steps.step('see it running', () => seeRunning(api, deployment, journey));
  return { token, deployment: running };
}

/** The deployment and the task to follow; none where an earlier start has done it, a new try where it had failed. */
async function createDeployment(api: ApiClient, sample: Sample) {
  const { cluster, registry } = sample;
  const filter = `cluster_id=${cluster.id}&kind_id=${registry.kind_id}&name=hello`;
  const existing = (await api.list(`/deployments?${filter}`, Deployment)).find(({ name }) => name === 'hello');
  const deployment = existing ?? (await askForHello(api, sample, 'hello'));
  const [task] = await api.list(`/deployment-tasks?deployment_id=${deployment.id}&per_page=1`, Task);
  if (task?.status === 'Done') return { deployment };
  const failed = task?.status === 'Failed' || task?.status === 'Canceled';
  return {
    deployment,
    task: failed ? await api.send('POST', `/deployment-tasks/${task.id}/retry`, undefined, Task) : task,
  };
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
