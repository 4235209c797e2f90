import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Client, unwrap, waitUntil } from '@berth/client';
import type { Stack } from '@berth/devstack';
import type { Sample } from '@berth/devstack/journey/find-sample';
import { sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import type { DeploymentTask } from '@berth/contracts/resources/tasks/deployment-tasks';
import { CoreV1Api, KubeConfig, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { z } from 'zod';

export interface SlowDeployment {
  id: string;
  namespace: string;
  taskId: string;
  task(): Promise<DeploymentTask>;
  /** Lets its pods be scheduled, so that Helm finishes. */
  release(): Promise<void>;
}

/** A deployment whose pods find no node until `release`. Resolves once Helm waits for them. */
export async function deploySlowly(
  stack: Stack,
  { deployments, deploymentTasks }: Client,
  sample: Sample,
  name: string,
): Promise<SlowDeployment> {
  const label = `test-${name}`;
  const { id, namespace } = unwrap(
    await deployments.create({
      body: {
        name,
        kind_id: sample.registry.kind_id,
        cluster_id: sample.cluster.id,
        helm_chart_id: sample.chart.id,
        config: sampleChart.inputs,
        values_override: { nodeSelector: { [label]: 'yes' } },
      },
    }),
  );
  const [task] = unwrap(await deploymentTasks.list({ query: { deployment_id: id } })).items;
  if (!task) throw new Error('the deployment has no task');
  // Helm records the pending release, then waits for the pods.
  const isWaiting = async () => (await releaseStatuses(stack, namespace)).at(-1) === 'pending-install';
  await waitUntil(() => isWaiting().catch(() => false), { what: 'Helm to wait for the pods', withinMs: 30_000 });
  return {
    id,
    namespace,
    taskId: task.id,
    task: async () => unwrap(await deploymentTasks.get({ id: task.id })),
    release: () => labelNodes(stack, label),
  };
}

export function kubeClient({ kubeconfigFile, cluster }: Stack): CoreV1Api {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfigFile);
  config.setCurrentContext(cluster);
  return config.makeApiClient(CoreV1Api);
}

async function labelNodes(stack: Stack, label: string): Promise<void> {
  const core = kubeClient(stack);
  const { items } = await core.listNode();
  const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
  for (const { metadata } of items) {
    await core.patchNode({ name: metadata?.name ?? '', body: { metadata: { labels: { [label]: 'yes' } } } }, merge);
  }
}

const run = promisify(execFile);

/** Statuses of the revisions of a release, from `helm history`. */
export async function releaseStatuses({ tools, kubeconfigFile, cluster }: Stack, release: string): Promise<string[]> {
  const target = ['--namespace', release, '--kubeconfig', kubeconfigFile, '--kube-context', cluster];
  const { stdout } = await run(tools.helm, ['history', release, '--output', 'json', ...target]);
  return z
    .array(z.object({ status: z.string() }))
    .parse(JSON.parse(stdout))
    .map(({ status }) => status);
}
