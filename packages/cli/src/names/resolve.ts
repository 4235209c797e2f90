import { type Client, everyItem, unwrap } from '@berth/client';
import { CliFailure } from '../failure/cli-failure.ts';
import { callsOf } from './calls-of.ts';
import { chartParts } from './chart-parts.ts';
import { kindOf } from './kind-named.ts';
import type { Kind, Row } from './kinds.ts';

const isId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** Where a name is looked for: filters of the list of its kind. */
export type Scope = Readonly<Record<string, string | undefined>>;

/** The one row with this name or id, also as `-o name` writes it: `deployment/web`. Refuses names that several rows have, with these. */
export async function resolve(client: Client, kind: Kind, nameOrId: string, scope: Scope = {}): Promise<Row> {
  const plain = withoutKind(kind, nameOrId);
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

const withoutKind = ({ names }: Kind, text: string): string => {
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

/** Where a candidate is, so that the one that is meant can be told. */
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

/** The field by which the rows with a name are known, and the filter that finds them, if the API has one. */
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

/** The filter of an env by name or id; none if none is given. */
export async function envScope(client: Client, env: string | undefined): Promise<{ env_id?: string }> {
  return env === undefined ? {} : { env_id: (await resolve(client, kindOf('envs'), env)).id };
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

/** Filters as the API takes them: names of other rows, those of the env, become ids. */
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
