import { type Collection, type CollectionTable, sourceOf } from '@berth/chart-extensions/form/collection';
import type { Input } from '@berth/chart-extensions/form/input';
import { type Answer, everyItem, type JsonValue, type Page, unwrap } from '@berth/client';
import { isJson, isJsonObject, sameJson } from '@berth/contracts/fields/json';
import { berth } from '../api/berth.ts';

interface Item {
  id: string;
  words: string;
  note?: string | undefined;
  /** What filters of a form compare. */
  properties: object;
}

export interface Items {
  items: Item[];
  /** How many there are. If there are more than `items`, the server searches. */
  total: number;
}

/** What is needed to read a collection. */
export interface ItemsWanted {
  /** The env of the cluster on which the deployment runs. */
  envId: string;
  search: string;
  filters: NonNullable<Input['filters']>;
  /** The name of a kind, by its id. */
  kinds: ReadonlyMap<string, { id: string; name: string }>;
  clusters: ReadonlyMap<string, { id: string; name: string }>;
  signal: AbortSignal;
}

type ReadItems = (wanted: ItemsWanted) => Promise<Items>;
type Rows = { id: string }[];

/** Of a longer list this many are shown, or the server searches it. */
const mostItems = 2_000;
const perPage = 100;

const whole = (items: Item[]): Items => ({ items, total: items.length });

async function all<T extends Rows[number]>(read: (after: string) => Promise<Answer<Page<T>>>): Promise<T[]> {
  const rows: T[] = [];
  for await (const row of everyItem(read)) {
    rows.push(row);
    if (rows.length === mostItems) break;
  }
  return rows;
}

const filterFor = ({ filters }: ItemsWanted, name: string): JsonValue | undefined =>
  filters.find(({ field }) => field === name)?.value;
const textFor = (wanted: ItemsWanted, name: string): string | undefined => {
  const value = filterFor(wanted, name);
  return typeof value === 'string' ? value : undefined;
};

/** An item whose row is what filters compare. */
const item = (row: { id: string }, words: string, note?: string): Item => ({
  id: row.id,
  words: words || row.id.slice(0, 8),
  note,
  properties: row,
});

const short = (id: string): string => id.slice(0, 8);

const readers: Record<CollectionTable, ReadItems> = {
  async deployments(wanted) {
    const { envId, search, kinds, clusters, signal } = wanted;
    const kind = textFor(wanted, 'kind');
    const enabled = filterFor(wanted, 'enabled');
    const query = {
      env_id: envId,
      kind_id: [...kinds.values()].find(({ name }) => name === kind)?.id,
      cluster_id: textFor(wanted, 'cluster_id'),
      enabled: typeof enabled === 'boolean' ? enabled : undefined,
      name: search || undefined,
      sort: 'name',
      per_page: perPage,
    } as const;
    const page = unwrap(await berth.deployments.list({ query }, { signal }));
    const items = page.items.map((row) => {
      const kindName = kinds.get(row.kind_id)?.name ?? '';
      const { id, created_at, name, cluster_id, enabled: isEnabled } = row;
      const properties = { id, created_at, name, kind: kindName, cluster_id, enabled: isEnabled };
      return { ...item(row, `${kindName} / ${name || row.namespace}`, clusters.get(cluster_id)?.name), properties };
    });
    return { items, total: page.num_total };
  },
  async secrets(wanted) {
    const query = { env_id: wanted.envId, collection: textFor(wanted, 'collection'), per_page: perPage };
    const rows = await all((after) => berth.secrets.list({ query: { ...query, after } }, wanted));
    return whole(rows.map((row) => item(row, `${row.collection} / ${row.name}`)));
  },
  async k8s_clusters({ envId, signal }) {
    const query = { env_id: envId, per_page: perPage };
    const rows = await all((after) => berth.k8sClusters.list({ query: { ...query, after } }, { signal }));
    return whole(rows.map((row) => item(row, row.name, row.region_name)));
  },
  async users({ search, signal }) {
    const query = { display_name: search || undefined, sort: 'display_name', per_page: perPage } as const;
    const page = unwrap(await berth.users.list({ query }, { signal }));
    const items = page.items.map((row) => item(row, row.display_name, row.email ?? undefined));
    return { items, total: page.num_total };
  },
  async bots({ search, signal }) {
    const query = { display_name: search || undefined, sort: 'display_name', per_page: perPage } as const;
    const page = unwrap(await berth.bots.list({ query }, { signal }));
    return { items: page.items.map((row) => item(row, row.display_name)), total: page.num_total };
  },
  async envs({ signal }) {
    const rows = await all((after) => berth.envs.list({ query: { after, per_page: perPage } }, { signal }));
    return whole(rows.map((row) => item(row, row.name)));
  },
  async deployment_kinds({ signal }) {
    const rows = await all((after) => berth.deploymentKinds.list({ query: { after, per_page: perPage } }, { signal }));
    return whole(rows.map((row) => item(row, row.name)));
  },
  async helm_registries({ signal }) {
    const rows = await all((after) => berth.helmRegistries.list({ query: { after, per_page: perPage } }, { signal }));
    return whole(rows.map((row) => item(row, row.repo_name, row.domain_name)));
  },
  async helm_charts({ kinds, signal }) {
    const rows = await all((after) => berth.chartVersions.list({ query: { after, per_page: perPage } }, { signal }));
    return whole(rows.map((row) => item(row, row.image_tag, kinds.get(row.kind_id)?.name)));
  },
  async helm_tag_formats({ signal }) {
    const rows = await all((after) => berth.helmTagFormats.list({ query: { after, per_page: perPage } }, { signal }));
    return whole(rows.map((row) => item(row, row.pattern)));
  },
  async deployment_resource_types({ envId, kinds, signal }) {
    const query = { per_page: perPage };
    const rows = await all((after) => berth.deploymentResourceTypes.list({ query: { ...query, after } }, { signal }));
    const here = rows.filter(({ env_id }) => env_id === null || env_id === envId);
    return whole(here.map((row) => item(row, row.key, kinds.get(row.deployment_kind_id)?.name)));
  },
  async deployment_resources({ envId, signal }) {
    const query = { env_id: envId, per_page: perPage };
    const rows = await all((after) => berth.deploymentResources.list({ query: { ...query, after } }, { signal }));
    return whole(rows.map((row) => item(row, row.name)));
  },
  async deployment_tasks({ envId, signal }) {
    const query = { env_id: envId, per_page: perPage };
    const page = unwrap(await berth.deploymentTasks.list({ query }, { signal }));
    const items = page.items.map((row) =>
      item(row, `${Object.keys(row.operation)[0]} ${short(row.id)}`, row.created_at),
    );
    return { items, total: page.num_total };
  },
  async k8s_resources({ clusters, signal }) {
    const page = unwrap(await berth.k8sResources.list({ query: { per_page: perPage } }, { signal }));
    const items = page.items.map((row) => item(row, `${row.kind} ${row.name}`, clusters.get(row.cluster_id)?.name));
    return { items, total: page.num_total };
  },
  async env_user_permissions({ envId, signal }) {
    const query = { env_id: envId, per_page: perPage };
    const rows = await all((after) => berth.envUserPermissions.list({ query: { ...query, after } }, { signal }));
    return whole(rows.map((row) => item(row, `${row.role} ${short(row.user_id)}`)));
  },
  async deployment_permissions({ envId, signal }) {
    const query = { env_id: envId, per_page: perPage };
    const rows = await all((after) => berth.deploymentPermissions.list({ query: { ...query, after } }, { signal }));
    return whole(rows.map((row) => item(row, `${row.role} ${short(row.user_id)}`)));
  },
};

/** The resources of the types with a key, of one kind of deployments or of any. */
async function resourcesOf({ kind, key }: { kind: string | null; key: string }, wanted: ItemsWanted): Promise<Items> {
  const { envId, kinds, signal } = wanted;
  const page = unwrap(await berth.deploymentResourceTypes.list({ query: { key, per_page: perPage } }, { signal }));
  const types = page.items.filter(
    ({ env_id, deployment_kind_id }) =>
      (env_id === null || env_id === envId) && (kind === null || kinds.get(deployment_kind_id)?.name === kind),
  );
  const lists = await Promise.all(
    types.map(({ id: type_id }) =>
      all((after) =>
        berth.deploymentResources.list({ query: { type_id, env_id: envId, after, per_page: perPage } }, { signal }),
      ),
    ),
  );
  return whole(
    lists.flat().map((row) => {
      const { id, name, props, sync_status } = row;
      const properties = { ...(isJsonObject(props) && props), id, name };
      return { ...item(row, name, sync_status === 'Ready' ? undefined : sync_status), properties };
    }),
  );
}

/** The table whose changes make the items out of date. */
export function tableOfItems(collection: Collection): string {
  const source = sourceOf(collection);
  return 'table' in source ? source.table : 'deployment_resources';
}

/** The items that pass the filters of an input. As on the server, a filter on a field that an item lacks is ignored. */
export async function readItems(collection: Collection, wanted: ItemsWanted): Promise<Items> {
  const source = sourceOf(collection);
  const { items, total } = await ('table' in source
    ? readers[source.table](wanted)
    : resourcesOf(source.resourceType, wanted));
  const fits = ({ properties }: Item) =>
    wanted.filters.every(({ field, value }) => {
      if (!Object.hasOwn(properties, field)) return true;
      const own: unknown = Reflect.get(properties, field);
      return isJson(own) && sameJson(own, value);
    });
  return { items: items.filter(fits), total };
}
