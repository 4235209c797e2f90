import { isJsonObject } from '@berth/contracts/fields/json';
import { chartText } from './charts.ts';
import type { LiveRow, PlatformRows } from './platform-rows.ts';
import { rowKey } from '../documents/row-key.ts';
import { apiVersion, type DocumentOf } from '../documents/set-document.ts';
import { variableNames } from './variable-names.ts';

/** The rows as documents that still have ids in their inputs, and the keys that several rows would have. */
export function liveDocuments(platform: PlatformRows): { rows: LiveRow[]; ambiguous: Map<string, readonly string[]> } {
  const names = namesIn(platform);
  const shared = (kind: string, { shared }: Names) =>
    [...shared].map(([name, ids]) => [rowKey(kind, name), ids] as const);
  return {
    rows: [...ofPlatform(platform, names), ...ofAccess(platform, names), ...ofContent(platform, names)],
    ambiguous: new Map([...shared('Bot', names.bots), ...shared('Cluster', names.clusters)]),
  };
}

const row = (id: string, document: LiveRow['document'], isLeaving = false): LiveRow => ({ id, document, isLeaving });

function ofPlatform(platform: PlatformRows, names: NamesOfAll): LiveRow[] {
  const envs = platform.envs.map(({ id, name, auto_add_new_users, ...placement }) => {
    const { node_selector, tolerations } = asPlacement(placement);
    return row(id, { apiVersion, kind: 'Env', name, auto_add_new_users, node_selector, tolerations });
  });
  const bots = platform.bots.map(({ id, is_active }) =>
    row(id, { apiVersion, kind: 'Bot', name: names.bots.of(id), is_active }),
  );
  const clusters = platform.clusters.map((cluster) => {
    const { id, env_id, ignore, ingress_domain, ingress_class } = cluster;
    const { ingress_tls_secret_name, metrics_url, metrics_datasource_name } = cluster;
    const env = env_id === null ? null : names.envs.of(env_id);
    const ingress = { ingress_domain, ingress_class, ingress_tls_secret_name };
    const metrics = { metrics_url, metrics_datasource_name };
    return row(id, { apiVersion, kind: 'Cluster', name: names.clusters.of(id), env, ignore, ...ingress, ...metrics });
  });
  return [...envs, ...bots, ...clusters];
}

type Placement = Pick<DocumentOf<'Env'>, 'node_selector' | 'tolerations'>;

/** As the platform answers it: a newer one may know fields of tolerations that this version would refuse. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whoever applies the document checks it
const asPlacement = (placement: Pick<PlatformRows['envs'][number], keyof Placement>) => placement as Placement;

function ofAccess(platform: PlatformRows, { envs, users, kinds }: NamesOfAll): LiveRow[] {
  const members = platform.members.map(({ id, env_id, user_id, role }) =>
    row(id, { apiVersion, kind: 'Member', env: envs.of(env_id), user: users.of(user_id), role }),
  );
  const roles = platform.roles.map(({ id, env_id, user_id, kind_id, role }) => {
    const of = { env: envs.of(env_id), user: users.of(user_id), deployment_kind: kinds.of(kind_id) };
    return row(id, { apiVersion, kind: 'Role', ...of, role });
  });
  return [...members, ...roles];
}

function ofContent(platform: PlatformRows, { envs, clusters, kinds }: NamesOfAll): LiveRow[] {
  const variableOf = variableNames();
  const charts = new Map(platform.charts.map((chart) => [chart.id, chart]));
  const types = new Map(platform.types.map((type) => [type.id, type]));
  const managers = new Map(platform.deployments.map((deployment) => [deployment.id, deployment]));

  const secrets = platform.secrets.map(({ id, env_id, collection, name }) => {
    const env = envs.of(env_id);
    const contents = { env: variableOf(env, collection, name) };
    return row(id, { apiVersion, kind: 'Secret', env, collection, name, contents });
  });
  const deployments = platform.deployments.flatMap((deployment) => {
    const { id, env_id, cluster_id, name, config, values_override, enabled, description_md, status } = deployment;
    const chart = charts.get(deployment.helm_chart_id);
    if (!chart) return [];
    const place = { env: envs.of(env_id), cluster: clusters.of(cluster_id), name };
    const content = { chart: chartText(platform.charts, chart), config, values_override, enabled, description_md };
    return row(id, { apiVersion, kind: 'Deployment', ...place, ...content }, status === 'Deleting');
  });
  const resources = platform.resources.flatMap(({ id, type_id, deployment_id, name, props, sync_status }) => {
    const manager = managers.get(deployment_id ?? '');
    const of = types.get(type_id);
    // A resource without its managing deployment cannot be created, so no set contains it.
    if (!manager || !of) return [];
    const env = envs.of(manager.env_id);
    const type = `${kinds.of(of.deployment_kind_id)}/${of.key}`;
    const place = { env, cluster: clusters.of(manager.cluster_id), deployment: manager.name, type, name };
    const hidden = sensitiveInputs(of.spec).map((input) => [input, { env: variableOf(env, type, name, input) }]);
    const sensitive = hidden.length === 0 ? {} : { sensitive_props: Object.fromEntries(hidden) };
    const shown = isJsonObject(props) ? props : {};
    return row(id, { apiVersion, kind: 'Resource', ...place, props: shown, ...sensitive }, sync_status === 'Deleting');
  });
  return [...secrets, ...deployments, ...resources];
}

/** The inputs of a type whose values no answer shows. */
function sensitiveInputs(spec: unknown): string[] {
  const form = isJsonObject(spec) ? spec['values_ui'] : null;
  const inputs = isJsonObject(form) && Array.isArray(form['inputs']) ? form['inputs'] : [];
  return inputs.flatMap((input) =>
    isJsonObject(input) && input['sensitive'] === true && typeof input['id'] === 'string' ? [input['id']] : [],
  );
}

interface Names {
  /** The name of a row, or its id where others have the name too. */
  of(id: string): string;
  /** Ids by the names that several rows have. */
  shared: ReadonlyMap<string, readonly string[]>;
}
type NamesOfAll = ReturnType<typeof namesIn>;

const namesIn = ({ envs, bots, clusters, users, kinds }: PlatformRows) => ({
  envs: namesOf(envs, ({ name }) => name),
  bots: namesOf(bots, ({ display_name }) => display_name),
  clusters: namesOf(clusters, ({ name }) => name),
  users: namesOf(users, ({ email }) => email),
  kinds: namesOf(kinds, ({ name }) => name),
});

function namesOf<R extends { id: string }>(rows: readonly R[], nameOf: (row: R) => string | null): Names {
  const names = new Map(rows.map((one) => [one.id, nameOf(one) ?? one.id]));
  const byName = Map.groupBy(names, ([, name]) => name);
  const several = [...byName].filter(([, found]) => found.length > 1);
  const shared = new Map(several.map(([name, found]) => [name, found.map(([id]) => id)]));
  return {
    shared,
    of(id) {
      const name = names.get(id);
      return name === undefined || shared.has(name) ? id : name;
    },
  };
}
