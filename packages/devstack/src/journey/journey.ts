import { type Client, createClient, unwrap, waitUntil } from '@berth/client';
import type { DeploymentTask } from '@berth/contracts/resources/tasks/deployment-tasks';
import type { Deployment } from '@berth/contracts/resources/deployments/deployments';
import type { K8sResource } from '@berth/contracts/resources/clusters/k8s-resources';
import { readyWithinMs, type Stack } from '../stack/start-stack.ts';
import { announcedPatience } from './announced-patience.ts';
import { assignCluster, ensureEnv, findChart, type Sample } from './find-sample.ts';
import { createHello, waitForRunning } from './hello-deployment.ts';
import { JourneyFailed } from './journey-failed.ts';
import { publishSampleChart, sampleChart } from './publish-sample-chart.ts';
import { signInAsAda } from './sign-in.ts';
import type { Steps } from './steps.ts';

export interface JourneyResult {
  token: string;
  deployment: Deployment;
}

interface Journey {
  stack: Stack;
  steps: Steps;
  signal: AbortSignal;
}

/**
 * The main use case step by step: a chart is pushed, found, deployed by Helm and runs. Rows from an earlier start are found and
 * checked rather than created twice.
 */
export async function runJourney(journey: Journey): Promise<JourneyResult> {
  const { stack, steps, signal } = journey;
  const patience = announcedPatience(readyWithinMs, steps.detail);
  const token = await steps.step('sign in through the identity provider as Ada, a site admin', () =>
    signInAsAda({ stack, signal, patience }),
  );
  const api = createClient({ baseUrl: stack.url, credential: () => ({ token }), signal, patience });

  await steps.step(`package the sample chart ${sampleChart.name} and push it to the registry`, () =>
    publishSampleChart(journey),
  );
  const { registry, chart } = await steps.step('wait until the catalogue has it', () => findChart(api, signal));
  const env = await steps.step('create the env demo', () => ensureEnv(api, 'demo'));
  const cluster = await steps.step(`assign the cluster ${stack.cluster} to it`, () =>
    assignCluster(api, { cluster: stack.cluster, env, signal }),
  );
  const { deployment, task } = await steps.step('create the deployment hello', () =>
    ensureDeployment(api, { registry, chart, cluster }),
  );
  if (task) await steps.step('follow its task', () => followTask(api, task, steps));
  const running = await steps.step('see it running', () => seeRunning(api, deployment, journey));
  return { token, deployment: running };
}

/** The deployment and the task to wait for: null if an earlier start finished it, a retry if it failed. */
async function ensureDeployment(
  api: Client,
  sample: Sample,
): Promise<{ deployment: Deployment; task?: DeploymentTask | undefined }> {
  const { deployments, deploymentTasks } = api;
  const query = { cluster_id: sample.cluster.id, kind_id: sample.registry.kind_id, name: 'hello' };
  const existing = unwrap(await deployments.list({ query })).items.find(({ name }) => name === 'hello');
  const deployment = existing ?? (await createHello(api, sample, 'hello'));
  const tasks = await deploymentTasks.list({ query: { deployment_id: deployment.id, per_page: 1 } });
  const [task] = unwrap(tasks).items;
  if (task?.status === 'Done') return { deployment };
  const failed = task?.status === 'Failed' || task?.status === 'Canceled';
  return { deployment, task: failed ? unwrap(await deploymentTasks.retry({ id: task.id })) : task };
}

async function followTask({ deploymentTasks }: Client, { id }: DeploymentTask, { detail }: Steps): Promise<void> {
  const log = unwrap(await deploymentTasks.log({ id, query: { follow: true } }));
  for await (const line of log.lines()) detail(line);
  const { status, reason } = unwrap(await deploymentTasks.get({ id }));
  if (status !== 'Done') throw new JourneyFailed(`the task ended ${status}: ${reason ?? 'without a reason'}`);
}

async function seeRunning(api: Client, { id }: Deployment, { steps, signal }: Journey): Promise<Deployment> {
  const deployment = await waitForRunning(api, id, { withinMs: 60_000, signal });
  const tracked = await waitUntil(
    async () => {
      const { items } = unwrap(await api.k8sResources.list({ query: { deployment_id: id, per_page: 100 } }));
      const workloads = items.filter(({ kind }) => kind === 'Deployment');
      return workloads.length > 0 && workloads.every(isReady) && items;
    },
    { what: 'its workload to be ready', withinMs: 60_000, longestPauseMs: 500, signal },
  );
  for (const { kind, name, status_color } of tracked)
    steps.detail(`${kind} ${name} ${status_color.join(' ')}`.trimEnd());
  return deployment;
}

const isReady = ({ status_color }: K8sResource): boolean =>
  status_color.length > 0 && status_color.every((color) => color === 'Success');
