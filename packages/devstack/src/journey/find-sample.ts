import { type Client, unwrap, waitUntil } from '@berth/client';
import type { Env } from '@berth/contracts/resources/envs/envs';
import type { HelmChart } from '@berth/contracts/resources/charts/helm-charts';
import type { HelmRegistry } from '@berth/contracts/resources/charts/helm-registries';
import type { K8sCluster } from '@berth/contracts/resources/clusters/k8s-clusters';
import { JourneyFailed } from './journey-failed.ts';
import { sampleChart } from './publish-sample-chart.ts';

/** The rows that a deployment of the sample chart refers to. */
export interface Sample {
  registry: HelmRegistry;
  chart: HelmChart;
  cluster: K8sCluster;
}

export interface FindSample {
  api: Client;
  /** Names of the cluster and of its env. */
  cluster: string;
  env: string;
  signal: AbortSignal;
}

const longestPauseMs = 500;

/** Waits until the catalogue has the sample chart and a cluster is available. */
export async function findSample({ api, cluster, env, signal }: FindSample): Promise<Sample> {
  const found = await findChart(api, signal);
  return { ...found, cluster: await assignCluster(api, { cluster, env: await ensureEnv(api, env), signal }) };
}

export async function findChart(
  { helmCharts, helmRegistries }: Client,
  signal: AbortSignal,
): Promise<Omit<Sample, 'cluster'>> {
  const { repository, name, version } = sampleChart;
  const registry = await waitUntil(
    async () => unwrap(await helmRegistries.list({ query: { repo_name: repository } })).items[0],
    { what: `the registry ${repository} in the catalogue`, withinMs: 30_000, longestPauseMs, signal },
  );
  const chart = await waitUntil(
    async () => {
      const query = { helm_registry_id: registry.id, available: true };
      return unwrap(await helmCharts.list({ query })).items.find(({ image_tag }) => image_tag === version);
    },
    { what: `the chart ${name} ${version} in the catalogue`, withinMs: 30_000, longestPauseMs, signal },
  );
  if (chart.error !== null)
    throw new JourneyFailed(`the catalogue lists the sample chart with an error: ${chart.error}`);
  return { registry, chart };
}

export async function ensureEnv({ envs }: Client, name: string): Promise<Env> {
  const [existing] = unwrap(await envs.list({ query: { name } })).items;
  return existing ?? unwrap(await envs.create({ body: { name } }));
}

interface AssignCluster {
  cluster: string;
  env: Env;
  signal: AbortSignal;
}

export async function assignCluster(
  { k8sClusters }: Client,
  { cluster: name, env, signal }: AssignCluster,
): Promise<K8sCluster> {
  const byName = async () => unwrap(await k8sClusters.list({ query: { name } })).items[0];
  const found = await waitUntil(byName, { what: `the cluster ${name}`, withinMs: 30_000, longestPauseMs, signal });
  if (found.env_id !== env.id || found.ignore) {
    unwrap(await k8sClusters.update({ id: found.id, body: { env_id: env.id, ignore: false } }, { repeat: true }));
  }
  return waitUntil(
    async () => {
      const cluster = await byName();
      return cluster?.is_ok && cluster;
    },
    { what: `the cluster ${name} to answer`, withinMs: 60_000, longestPauseMs, signal },
  );
}
