import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Client, unwrap, waitUntil } from '@berth/client';
import type { Stack } from '@berth/devstack';
import type { Sample } from '@berth/devstack/journey/find-sample';
import { pushChart, sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import type { HelmChart } from '@berth/contracts/resources/charts/helm-charts';
import type { DeploymentTask } from '@berth/contracts/resources/tasks/deployment-tasks';
import { CoreV1Api, KubeConfig, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { z } from 'zod';
import { fixtureChart } from './charts/fixture-chart.ts';

export interface SlowDeployment {
  id: string;
  namespace: string;
  taskId: string;
  task(): Promise<DeploymentTask>;
  /** Lets its pods be scheduled, so that Helm finishes. */
  release(): Promise<void>;
}

/** Runs when everything else is ready, so Helm waits for that itself. */
const lateHook = `apiVersion: v1
kind: ConfigMap
metadata: { name: late, annotations: { helm.sh/hook: "post-install,post-upgrade" } }
`;
const slowVersion = '1.0.0-slow.1';

/** The sample chart with a late hook, published if it is not in the catalogue. */
async function slowChart(stack: Stack, { helmCharts }: Client, { registry }: Sample): Promise<HelmChart> {
  const find = async () =>
    unwrap(await helmCharts.list({ query: { helm_registry_id: registry.id, image_tag: slowVersion } })).items[0];
  const known = await find();
  if (known) return known;
  const manifest = await readFile(join(sampleChart.folder, 'Chart.yaml'), 'utf8');
  await using chart = await fixtureChart({
    name: sampleChart.name,
    base: sampleChart.folder,
    files: {
      'Chart.yaml': manifest.replace(/^version: .*$/m, `version: ${slowVersion}`),
      'templates/late.yaml': lateHook,
    },
  });
  await pushChart({ ...stack, folder: chart.folder, signal: AbortSignal.timeout(60_000) });
  return waitUntil(find, { what: 'the slow chart in the catalogue', withinMs: 30_000, longestPauseMs: 500 });
}

/** A deployment whose pods find no node until `release`. Resolves once Helm waits for them. */
export async function deploySlowly(stack: Stack, api: Client, sample: Sample, name: string): Promise<SlowDeployment> {
  const { deployments, deploymentTasks } = api;
  const chart = await slowChart(stack, api, sample);
  const label = `test-${name}`;
  const { id, namespace } = unwrap(
    await deployments.create({
      body: {
        name,
        kind_id: sample.registry.kind_id,
        cluster_id: sample.cluster.id,
        helm_chart_id: chart.id,
        config: sampleChart.inputs,
        values_override: { nodeSelector: { [label]: 'yes' } },
      },
    }),
  );
  const [task] = unwrap(await deploymentTasks.list({ query: { deployment_id: id } })).items;
  if (!task) throw new Error('the deployment has no task');
  // Helm records the pending release, then waits for the pods.
  const core = kubeClient(stack);
  // Reads the label of Helm's record: a run of Helm each time would cost 0.2 s of CPU.
  const pending = { namespace, labelSelector: 'owner=helm,status=pending-install' };
  const isWaiting = async () => (await core.listNamespacedSecret(pending)).items.length > 0;
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
