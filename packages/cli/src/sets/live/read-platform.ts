import { type Answer, type Client, type Deployment, everyItem, type HelmChart, type Page, unwrap } from '@berth/client';
import type { Chart } from './charts.ts';
import type { PlatformRows } from './platform-rows.ts';
import { kindOfChart } from '../documents/row-key.ts';

export interface Scope {
  /** Names of the envs whose content is read; null: of all. */
  envs: ReadonlySet<string> | null;
  /** Charts that documents name, which need not be deployed yet. */
  charts: readonly string[];
}

const pageSize = 100;

/** All rows that a set may name. What an env holds is read only for the envs of the scope. */
export async function readPlatform(client: Client, scope: Scope): Promise<PlatformRows> {
  const [envs, bots, clusters, users, kinds] = await Promise.all([
    all((query) => client.envs.list({ query })),
    all((query) => client.bots.list({ query })),
    all((query) => client.k8sClusters.list({ query })),
    all((query) => client.users.list({ query })),
    all((query) => client.deploymentKinds.list({ query })),
  ]);
  const chosen = envs.filter(({ name }) => scope.envs === null || scope.envs.has(name));
  const rows = {
    members: [] as PlatformRows['members'],
    roles: [] as PlatformRows['roles'],
    secrets: [] as PlatformRows['secrets'],
    deployments: [] as PlatformRows['deployments'],
    resources: [] as PlatformRows['resources'],
  };
  for (const { id: env_id } of chosen) {
    const [members, roles, secrets, deployments, resources] = await Promise.all([
      all((query) => client.envUserPermissions.list({ query: { ...query, env_id } })),
      all((query) => client.deploymentPermissions.list({ query: { ...query, env_id } })),
      all((query) => client.secrets.list({ query: { ...query, env_id } })),
      all((query) => client.deployments.list({ query: { ...query, env_id } })),
      all((query) => client.deploymentResources.list({ query: { ...query, env_id } })),
    ]);
    rows.members = [...rows.members, ...members];
    rows.roles = [...rows.roles, ...roles];
    rows.secrets = [...rows.secrets, ...secrets];
    rows.deployments = [...rows.deployments, ...deployments];
    rows.resources = [...rows.resources, ...resources];
  }
  const types = await all((query) => client.deploymentResourceTypes.list({ query }));
  const charts = await readCharts(client, { kinds, deployments: rows.deployments, named: scope.charts });
  return { envs, bots, clusters, users, kinds, ...rows, types, charts };
}

async function all<T>(page: (query: { after: string; per_page: number }) => Promise<Answer<Page<T>>>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of everyItem((after) => page({ after, per_page: pageSize }))) items.push(item);
  return items;
}

interface Needed {
  kinds: readonly { id: string; name: string }[];
  deployments: readonly Deployment[];
  named: readonly string[];
}

/** The charts that are deployed or named, and others with the same version: the whole catalogue may have thousands. */
async function readCharts(client: Client, { kinds, deployments, named }: Needed): Promise<Chart[]> {
  const found = new Map<string, Chart>();
  const add = (chart: HelmChart, { name }: { name: string }) => found.set(chart.id, chartOf(chart, name));
  const looked = new Set<string>();
  const look = async (kind: { id: string; name: string }, version: string): Promise<void> => {
    if (looked.has(`${kind.id} ${version}`)) return;
    looked.add(`${kind.id} ${version}`);
    // A digest is no filter of the API.
    const query = { kind_id: kind.id, ...(!version.includes(':') && { image_tag: version }) };
    for (const chart of await all((page) => client.helmCharts.list({ query: { ...query, ...page } })))
      if (!version.includes(':') || chart.image_digest === version) add(chart, kind);
  };
  const deployed = Map.groupBy(deployments, ({ helm_chart_id }) => helm_chart_id);
  for (const [id, [deployment]] of deployed) {
    const kind = kinds.find((one) => one.id === deployment?.kind_id);
    if (!kind) continue;
    const chart = unwrap(await client.helmCharts.get({ id }));
    add(chart, kind);
    await look(kind, chart.image_tag);
  }
  for (const text of named) {
    const kind = kinds.find(({ name }) => name === kindOfChart(text));
    const version = text.slice(kindOfChart(text).length + 1);
    if (kind && ![...found.values()].some((chart) => chart.kind === kind.name && chart.digest === version))
      await look(kind, version);
  }
  return [...found.values()];
}

const chartOf = ({ id, image_tag, image_digest, available, error }: HelmChart, kind: string): Chart => ({
  id,
  kind,
  tag: image_tag,
  digest: image_digest,
  available,
  error,
});
