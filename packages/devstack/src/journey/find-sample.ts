import type { ApiClient } from './api-client.ts';
import { sampleChart } from './publish-sample-chart.ts';
import { Chart, Cluster, Env, Registry, type Row } from './rows.ts';
import { waitFor } from './wait-for.ts';

/** What a deployment of the sample chart needs. */
export interface Sample {
  registry: Row<typeof Registry>;
  chart: Row<typeof Chart>;
  cluster: Row<typeof Cluster>;
}

export interface FindSample {
  api: ApiClient;
  /** Names of the cluster and of the env it is given to. */
  cluster: string;
  env: string;
  signal: AbortSignal;
}

/** The sample chart in the catalogue and a cluster to put it on, each waited for. */
export async function findSample({ api, cluster, env, signal }: FindSample): Promise<Sample> {
  const found = await findChart(api, signal);
  return { ...found, cluster: await giveCluster(api, { cluster, env: await ensureEnv(api, env), signal }) };
}

export async function findChart(api: ApiClient, signal: AbortSignal): Promise<Omit<Sample, 'cluster'>> {
  const { repository, name, version } = sampleChart;
  const registry = await waitFor(
    `the registry ${repository} in the catalogue`,
    async () => (await api.list(`/helm-registries?repo_name=${encodeURIComponent(repository)}`, Registry))[0],
    { withinMs: 30_000, signal },
  );
  const chart = await waitFor(
    `the chart ${name} ${version} in the catalogue`,
    async () => {
      const charts = await api.list(`/helm-charts?helm_registry_id=${registry.id}&available=true`, Chart);
      return charts.find(({ image_tag }) => image_tag === version);
    },
    { withinMs: 30_000, signal },
  );
  if (chart.error !== null) throw new Error(`the catalogue lists the sample chart with an error: ${chart.error}`);
  return { registry, chart };
}

export async function ensureEnv(api: ApiClient, name: string): Promise<Row<typeof Env>> {
  const [existing] = await api.list(`/envs?name=${encodeURIComponent(name)}`, Env);
  return existing ?? api.send('POST', '/envs', { name }, Env);
}

interface GiveCluster {
  cluster: string;
  env: Row<typeof Env>;
  signal: AbortSignal;
}

export async function giveCluster(
  api: ApiClient,
  { cluster: name, env, signal }: GiveCluster,
): Promise<Row<typeof Cluster>> {
  const byName = async () => (await api.list(`/k8s-clusters?name=${encodeURIComponent(name)}`, Cluster))[0];
  const found = await waitFor(`the cluster ${name}`, byName, { withinMs: 30_000, signal });
  if (found.env_id !== env.id || found.ignore) {
    await api.send('PUT', `/k8s-clusters/${found.id}`, { env_id: env.id, ignore: false }, Cluster);
  }
  return waitFor(
    `the cluster ${name} to answer`,
    async () => {
      const cluster = await byName();
      return cluster?.is_ok ? cluster : null;
    },
    { withinMs: 60_000, signal },
  );
}
