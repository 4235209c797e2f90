import type { Client } from '@berth/client';

export type Row = Readonly<Record<string, unknown>> & { readonly id: string };

/** The rows whose names the columns of others show instead of ids. */
export type Referred = 'envs' | 'k8sClusters' | 'deploymentKinds' | 'deployments';

export interface Column {
  title: string;
  /** A field of the row, or a field with the id of a row whose name is shown. */
  field: string;
  of?: Referred;
  /** Only with `-o wide`. */
  wide?: true;
}

export interface Kind {
  resource: keyof Client;
  /** What users call it, the first one in messages. */
  names: readonly [string, ...string[]];
  /** The field with its name, and the filter that finds it; absent for rows without names. */
  name?: string;
  /** Takes the filter `env_id`. */
  inEnv?: true;
  columns: readonly Column[];
}

const id: Column = { title: 'ID', field: 'id', wide: true };
const age: Column = { title: 'AGE', field: 'created_at' };
const env: Column = { title: 'ENV', field: 'env_id', of: 'envs' };

/** Everything that `get`, `describe` and `delete` know. */
export const kinds: readonly Kind[] = [
  {
    resource: 'deployments',
    names: ['deployments', 'deployment', 'deploy'],
    name: 'name',
    inEnv: true,
    columns: [
      { title: 'NAME', field: 'name' },
      env,
      { title: 'KIND', field: 'kind_id', of: 'deploymentKinds' },
      { title: 'STATUS', field: 'status' },
      { title: 'HEALTH', field: 'health.state' },
      { title: 'CLUSTER', field: 'cluster_id', of: 'k8sClusters', wide: true },
      { title: 'NAMESPACE', field: 'namespace', wide: true },
      age,
      id,
    ],
  },
  {
    resource: 'deploymentTasks',
    names: ['tasks', 'task'],
    inEnv: true,
    columns: [
      { title: 'ID', field: 'id' },
      { title: 'DEPLOYMENT', field: 'deployment_id', of: 'deployments' },
      { title: 'STATUS', field: 'status' },
      { title: 'REASON', field: 'reason', wide: true },
      { title: 'ATTEMPTS', field: 'attempts', wide: true },
      age,
    ],
  },
  {
    resource: 'envs',
    names: ['envs', 'env'],
    name: 'name',
    columns: [{ title: 'NAME', field: 'name' }, age, id],
  },
  {
    resource: 'k8sClusters',
    names: ['clusters', 'cluster'],
    name: 'name',
    inEnv: true,
    columns: [
      { title: 'NAME', field: 'name' },
      env,
      { title: 'OK', field: 'is_ok' },
      { title: 'REGION', field: 'region_name', wide: true },
      { title: 'REASON', field: 'not_ok_reason', wide: true },
      age,
      id,
    ],
  },
  {
    resource: 'deploymentKinds',
    names: ['kinds', 'kind'],
    name: 'name',
    columns: [{ title: 'NAME', field: 'name' }, age, id],
  },
  {
    resource: 'helmCharts',
    names: ['charts', 'chart'],
    columns: [
      { title: 'TAG', field: 'image_tag' },
      { title: 'AVAILABLE', field: 'available' },
      { title: 'ERROR', field: 'error' },
      { title: 'DIGEST', field: 'image_digest', wide: true },
      age,
      id,
    ],
  },
  {
    resource: 'k8sResources',
    names: ['objects', 'object'],
    name: 'name',
    columns: [
      { title: 'NAME', field: 'name' },
      { title: 'KIND', field: 'kind' },
      { title: 'DEPLOYMENT', field: 'deployment_id', of: 'deployments' },
      id,
    ],
  },
  {
    resource: 'secrets',
    names: ['secrets', 'secret'],
    name: 'name',
    inEnv: true,
    columns: [
      { title: 'COLLECTION', field: 'collection' },
      { title: 'NAME', field: 'name' },
      env,
      { title: 'UPDATED', field: 'updated_at' },
      id,
    ],
  },
  {
    resource: 'users',
    names: ['users', 'user'],
    name: 'email',
    columns: [
      { title: 'EMAIL', field: 'email' },
      { title: 'NAME', field: 'display_name' },
      { title: 'ACTIVE', field: 'is_active' },
      age,
      id,
    ],
  },
  {
    resource: 'bots',
    names: ['bots', 'bot'],
    name: 'display_name',
    columns: [{ title: 'NAME', field: 'display_name' }, { title: 'ACTIVE', field: 'is_active' }, age, id],
  },
  {
    resource: 'auditEvents',
    names: ['audit'],
    inEnv: true,
    columns: [
      { title: 'AT', field: 'at' },
      { title: 'ACTOR', field: 'actor.kind' },
      { title: 'OPERATION', field: 'operation' },
      { title: 'OBJECT', field: 'object.resource' },
      { title: 'RESULT', field: 'result' },
      id,
    ],
  },
];
