import { type Client, everyItem, unwrap } from '@berth/client';
import { CliFailure } from '../failure/cli-failure.ts';
import { callsOf } from './calls-of.ts';
import { chartParts } from './chart-parts.ts';
import { kindOf } from './kind-named.ts';
import type { Kind, Row } from './kinds.ts';

const isId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** Filters of a list, within which a name is looked up. */
export type Scope = Readonly<Record<string, string | undefined>>;

/** The one row with this name or id, also in the form `deployment/web`. A name that several rows have is refused with a list of them. */
export async function resolve(client: Client, kind: Kind, nameOrId: string, scope: Scope = {}): Promise<Row> {
  const plain = plainName(kind, nameOrId);
  if (isId(plain)) return unwrap(await callsOf(client, kind).get({ id: plain }));
  const found = await rowsNamed(client, kind, nameOrId, scope);
  // A name may hold a slash.
  if (found.length === 0 && plain !== nameOrId) return resolve(client, kind, plain, scope);
  const [row] = found;
  if (!row)
    throw new CliFailure(
      'refused',
      `there is no ${kind.names[1] ?? kind.names[0]} ${nameOrId}${scope['env_id'] ? ' in the env' : ''}`,
    );
  if (found.length === 1) return row;
  const candidates = await Promise.all(found.map((one) => candidateText(client, one)));
  const way = scope['env_id'] || !('env_id' in row) ? 'give the id of one' : 'give --env, or the id of one';
  throw new CliFailure(
    'usage',
    `${found.length} ${kind.names[0]} are named ${nameOrId}: ${way}\n${candidates.join('\n')}`,
  );
}

/** The name in `deployment/web`. */
export const plainName = ({ names }: Pick<Kind, 'names'>, text: string): string => {
  const name = names.find((one) => text.startsWith(`${one}/`));
  return name === undefined ? text : text.slice(name.length + 1);
};

async function rowsNamed(client: Client, kind: Kind, name: string, scope: Scope): Promise<Row[]> {
  const calls = callsOf(client, kind);
  const { field, value, query } = await distinguishing(client, kind, name);
  const found: Row[] = [];
  for await (const row of everyItem((after) => calls.list({ query: { ...scope, ...query, after } }))) {
    if (row[field] === value) found.push(row);
  }
  return found;
}

/** Where a candidate is, so that the user can tell which one is meant. */
async function candidateText({ envs, k8sClusters }: Client, row: Row): Promise<string> {
  const nameOf = async (of: Client['envs'] | Client['k8sClusters'], field: string): Promise<string> => {
    const answer = await of.get({ id: String(row[field]) });
    return answer.ok ? answer.value.name : String(row[field]);
  };
  return [
    `  ${row.id}`,
    ...('env_id' in row ? [`in env ${await nameOf(envs, 'env_id')}`] : []),
    ...('cluster_id' in row ? [`on cluster ${await nameOf(k8sClusters, 'cluster_id')}`] : []),
    ...('collection' in row ? [`in collection ${String(row['collection'])}`] : []),
  ].join(' ');
}

/** The field by which a name is recognised, its value, and the filters that narrow the list, if the API has any. */
async function distinguishing(
  client: Client,
  { name, namedBy, names, resource }: Kind,
  wanted: string,
): Promise<{ field: string; value: string; query: Scope }> {
  if (name !== undefined) return { field: name, value: wanted, query: { [name]: wanted } };
  if (resource === 'helmCharts') {
    const parts = chartParts(wanted);
    if (parts === null) throw new CliFailure('usage', 'a chart is KIND@VERSION, KIND@sha256:DIGEST or an id');
    const kind_id = (await resolve(client, kindOf('deploymentKinds'), parts.kind)).id;
    // A digest is no filter of the API.
    return parts.isDigest
      ? { field: 'image_digest', value: parts.version, query: { kind_id } }
      : { field: 'image_tag', value: parts.version, query: { kind_id, image_tag: parts.version } };
  }
  if (namedBy === undefined) throw new CliFailure('usage', `${names[0]} have no names: give an id`);
  const { id } = await resolve(client, kindOf(namedBy.of), wanted);
  return { field: namedBy.field, value: id, query: {} };
}

/** The filter for an env, given by name or id; no filter without one. */
export async function envScope(client: Client, env: string | undefined): Promise<{ env_id?: string }> {
  return env === undefined ? {} : { env_id: (await resolve(client, kindOf('envs'), env)).id };
}

/** The same for commands that take any kind. Some kinds belong to no env. */
export async function scopeOfKind(client: Client, kind: Kind, env: string | undefined): Promise<{ env_id?: string }> {
  if (env !== undefined && !kind.inEnv)
    throw new CliFailure('usage', `${kind.names[0]} belong to no env: leave out -e`);
  return envScope(client, env);
}

const referred: Readonly<Record<string, Kind['resource']>> = {
  acting_user_id: 'users',
  cluster_id: 'k8sClusters',
  deployment_id: 'deployments',
  deployment_kind_id: 'deploymentKinds',
  env_id: 'envs',
  helm_chart_id: 'helmCharts',
  helm_registry_id: 'helmRegistries',
  kind_id: 'deploymentKinds',
  user_id: 'users',
};

/** Filters as the API takes them: names of other rows, looked up in the env, become ids. */
export async function filterScope(
  client: Client,
  filters: readonly (readonly [string, string])[],
  env: { env_id?: string } = {},
): Promise<Scope> {
  const idOf = async (name: string, value: string): Promise<string> => {
    const resource = referred[name];
    // Lists that can show rows without one take `null`.
    if (resource === undefined || value === 'null' || isId(value)) return value;
    const kind = kindOf(resource);
    return (await resolve(client, kind, value, kind.inEnv ? env : {})).id;
  };
  const read = filters.map(async ([name, value]) => [name, await idOf(name, value)] as const);
  return Object.fromEntries(await Promise.all(read));
}

export const resolveDeployment = async (client: Client, name: string, env: string | undefined): Promise<Row> =>
  resolve(client, kindOf('deployments'), name, await envScope(client, env));
