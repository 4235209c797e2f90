import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Stack } from '@berth/devstack';
import type { ApiClient } from '@berth/devstack/journey/api-client';
import type { Sample } from '@berth/devstack/journey/find-sample';
import { sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import { waitFor } from '@berth/devstack/journey/wait-for';
import { CoreV1Api, KubeConfig, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { z } from 'zod';

export const TaskRow = z.object({
  id: z.uuid(),
  status: z.string(),
  reason: z.string().nullable(),
  attempts: z.number(),
  finished_at: z.string().nullable(),
});
const DeploymentRow = z.object({ id: z.uuid(), namespace: z.string(), status: z.string() });

export interface SlowDeployment {
  id: string;
  namespace: string;
  taskId: string;
  task(): Promise<z.output<typeof TaskRow>>;
  /** Lets its pods find a node, so that Helm comes to its end. */
  release(): Promise<void>;
}

/** A deployment whose pods find no node until the test says so; Helm waits for them. Returns once it does. */
export async function deploySlowly(
  stack: Stack,
  api: ApiClient,
  sample: Sample,
  name: string,
): Promise<SlowDeployment> {
  const label = `test-${name}`;
  const deployment = await api.send(
    'POST',
    '/deployments',
    {
      name,
      kind_id: sample.registry.kind_id,
      cluster_id: sample.cluster.id,
      helm_chart_id: sample.chart.id,
      config: sampleChart.inputs,
      values_override: { nodeSelector: { [label]: 'yes' } },
    },
    DeploymentRow,
  );
  const [task] = await api.list(`/deployment-tasks?deployment_id=${deployment.id}`, TaskRow);
  if (!task) throw new Error('the deployment has no task');
  const signal = AbortSignal.timeout(60_000);
  // Once Helm has recorded what it is about to do, it waits for pods that find no node.
  const isWaiting = async () => (await releaseStatuses(stack, deployment.namespace)).at(-1) === 'pending-install';
  await waitFor('Helm to wait for the pods', () => isWaiting().catch(() => false), { withinMs: 30_000, signal });
  return {
    id: deployment.id,
    namespace: deployment.namespace,
    taskId: task.id,
    task: () => api.get(`/deployment-tasks/${task.id}`, TaskRow),
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

/** Status of each revision of a release, as Helm itself tells it. */
export async function releaseStatuses({ tools, kubeconfigFile, cluster }: Stack, release: string): Promise<string[]> {
  const target = ['--namespace', release, '--kubeconfig', kubeconfigFile, '--kube-context', cluster];
  const { stdout } = await run(tools.helm, ['history', release, '--output', 'json', ...target]);
  return z
    .array(z.object({ status: z.string() }))
    .parse(JSON.parse(stdout))
    .map(({ status }) => status);
}
