import { type Client, everyItem, unwrap } from '@berth/client';
import { CliFailure } from '../failure/cli-failure.ts';
import { callsOf } from './calls-of.ts';
import { kindOf } from './kind-named.ts';
import type { Kind, Row } from './kinds.ts';

const isId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** Where a name is looked for: filters of the list of its kind. */
export type Scope = Readonly<Record<string, string | undefined>>;

/** The one row with this name or id. Refuses names that several rows have, with these. */
export async function resolve(client: Client, kind: Kind, nameOrId: string, scope: Scope = {}): Promise<Row> {
  const calls = callsOf(client, kind);
  if (isId(nameOrId)) return unwrap(await calls.get({ id: nameOrId }));
  const [singular = kind.names[0]] = kind.names.slice(1);
  const { field, value, query } = await distinguishing(client, kind, nameOrId);
  const found: Row[] = [];
  for await (const row of everyItem((after) => calls.list({ query: { ...scope, ...query, after } }))) {
    if (row[field] === value) found.push(row);
  }
  const [row] = found;
  if (!row)
    throw new CliFailure('refused', `there is no ${singular} ${nameOrId}${scope['env_id'] ? ' in the env' : ''}`);
  if (found.length === 1) return row;
  const candidates = found.map((one) => `  ${one.id}${'env_id' in one ? ` in env ${String(one['env_id'])}` : ''}`);
  throw new CliFailure(
    'usage',
    `${found.length} ${kind.names[0]} are named ${nameOrId}: give --env, or the id of one\n${candidates.join('\n')}`,
  );
}

/** The field by which the rows with a name are known, and the filter that finds them, if the API has one. */
async function distinguishing(
  client: Client,
  { name, namedBy, names }: Kind,
  wanted: string,
): Promise<{ field: string; value: string; query: Scope }> {
  if (name !== undefined) return { field: name, value: wanted, query: { [name]: wanted } };
  if (namedBy === undefined) throw new CliFailure('usage', `a ${names[1] ?? names[0]} has no name: give its id`);
  const { id } = await resolve(client, kindOf(namedBy.of), wanted);
  return { field: namedBy.field, value: id, query: {} };
}

/** The filter of an env by name or id; none if none is given. */
export async function envScope(client: Client, env: string | undefined): Promise<{ env_id?: string }> {
  return env === undefined ? {} : { env_id: (await resolve(client, kindOf('envs'), env)).id };
}

const referred: Readonly<Record<string, Kind['resource']>> = {
  cluster_id: 'k8sClusters',
  deployment_id: 'deployments',
  env_id: 'envs',
  kind_id: 'deploymentKinds',
  user_id: 'users',
};

/** Filters as the API takes them: names of other rows become ids. */
export async function filterScope(client: Client, filters: readonly (readonly [string, string])[]): Promise<Scope> {
  const idOf = async (name: string, value: string): Promise<string> => {
    const resource = referred[name];
    return resource === undefined || isId(value) ? value : (await resolve(client, kindOf(resource), value)).id;
  };
  const read = filters.map(async ([name, value]) => [name, await idOf(name, value)] as const);
  return Object.fromEntries(await Promise.all(read));
}

export const resolveDeployment = async (client: Client, name: string, env: string | undefined): Promise<Row> =>
  resolve(client, kindOf('deployments'), name, await envScope(client, env));
