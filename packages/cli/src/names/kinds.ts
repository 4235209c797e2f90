import type { Client } from '@berth/client';

export type Row = Readonly<Record<string, unknown>> & { readonly id: string };

/** The resources whose names other rows show instead of ids. */
export type Referred =
  | 'bots'
  | 'deploymentKinds'
  | 'deployments'
  | 'envs'
  | 'helmCharts'
  | 'helmRegistries'
  | 'k8sClusters'
  | 'users';

export interface Column {
  title: string;
  /** A field of the row, or a field with the id of a row whose name is shown. */
  field: string;
  of?: Referred;
  /** Further resources that the id may belong to. */
  orOf?: readonly Referred[];
  /** Fields to show instead if it is empty. */
  otherwise?: readonly string[];
  /** Show the name of another row instead, whose id is in this field of the referred row. */
  through?: { field: string; of: Referred };
  /** The field is an object whose only key is shown, such as the operation of a task. */
  isKey?: true;
  /** Only with `-o wide`. */
  wide?: true;
}

export interface Kind {
  resource: keyof Client;
  /** What users call it, the first one in messages. */
  names: readonly [string, ...string[]];
  /** The field with its name, and the filter that finds it; absent for rows without names. */
  name?: string;
  /** For rows without names: the field with the id of the row whose name identifies them within an env. */
  namedBy?: { field: string; of: Referred };
  /** The name of its events, if it has any: `get --watch` follows them. */
  table?: string;
  /** Its list goes from the newest rows to older ones, by `before` instead of `after`. */
  isBackward?: true;
  /** Takes the filter `env_id`. */
  inEnv?: true;
  columns: readonly Column[];
}

const id: Column = { title: 'ID', field: 'id', wide: true };
const age: Column = { title: 'AGE', field: 'created_at' };
const env: Column = { title: 'ENV', field: 'env_id', of: 'envs' };
const kind: Column = { title: 'KIND', field: 'kind_id', of: 'deploymentKinds' };
const user: Column = { title: 'USER', field: 'user_id', of: 'users' };

/** Everything that `get`, `describe` and `delete` know. */
export const kinds: readonly Kind[] = [
  {
    resource: 'deployments',
    table: 'deployments',
    names: ['deployments', 'deployment', 'deploy'],
    name: 'name',
    inEnv: true,
    columns: [
      { title: 'NAME', field: 'name' },
      env,
      kind,
      { title: 'CHART', field: 'helm_chart_id', of: 'helmCharts', wide: true },
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
    table: 'deployment_tasks',
    names: ['tasks', 'task'],
    inEnv: true,
    columns: [
      { title: 'ID', field: 'id' },
      { title: 'DEPLOYMENT', field: 'deployment_id', of: 'deployments' },
      { title: 'OPERATION', field: 'operation', isKey: true },
      { title: 'STATUS', field: 'status' },
      { title: 'REASON', field: 'reason', wide: true },
      { title: 'ATTEMPTS', field: 'attempts', wide: true },
      age,
    ],
  },
  {
    resource: 'envs',
    table: 'envs',
    names: ['envs', 'env'],
    name: 'name',
    columns: [{ title: 'NAME', field: 'name' }, age, id],
  },
  {
    resource: 'k8sClusters',
    table: 'k8s_clusters',
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
    table: 'deployment_kinds',
    names: ['kinds', 'kind'],
    name: 'name',
    columns: [{ title: 'NAME', field: 'name' }, age, id],
  },
  {
    resource: 'helmCharts',
    table: 'helm_charts',
    names: ['charts', 'chart'],
    columns: [
      // The kind of a chart is that of its registry.
      {
        ...kind,
        field: 'helm_registry_id',
        of: 'helmRegistries',
        through: { field: 'kind_id', of: 'deploymentKinds' },
      },
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
    table: 'k8s_resources',
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
    table: 'secrets',
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
    table: 'users',
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
    table: 'bots',
    names: ['bots', 'bot'],
    name: 'display_name',
    columns: [{ title: 'NAME', field: 'display_name' }, { title: 'ACTIVE', field: 'is_active' }, age, id],
  },
  {
    resource: 'envUserPermissions',
    table: 'env_user_permissions',
    names: ['members', 'member'],
    namedBy: { field: 'user_id', of: 'users' },
    inEnv: true,
    columns: [user, env, { title: 'ROLE', field: 'role' }, age, id],
  },
  {
    resource: 'deploymentPermissions',
    table: 'deployment_permissions',
    names: ['roles', 'role'],
    namedBy: { field: 'user_id', of: 'users' },
    inEnv: true,
    columns: [user, env, kind, { title: 'ROLE', field: 'role' }, age, id],
  },
  {
    resource: 'clusterRoleGrants',
    table: 'cluster_role_grants',
    names: ['grants', 'grant'],
    inEnv: true,
    columns: [
      { title: 'CLUSTER ROLE', field: 'cluster_role' },
      env,
      kind,
      { title: 'SCOPE', field: 'scope' },
      age,
      { title: 'ID', field: 'id' },
    ],
  },
  {
    resource: 'deploymentResources',
    table: 'deployment_resources',
    names: ['resources', 'resource'],
    inEnv: true,
    columns: [
      { title: 'NAME', field: 'name' },
      { title: 'DEPLOYMENT', field: 'deployment_id', of: 'deployments' },
      { title: 'STATUS', field: 'sync_status' },
      age,
      { title: 'ID', field: 'id' },
    ],
  },
  {
    resource: 'deploymentResourceTypes',
    table: 'deployment_resource_types',
    names: ['resource-types', 'resource-type'],
    name: 'key',
    inEnv: true,
    columns: [{ title: 'KEY', field: 'key' }, env, { ...kind, field: 'deployment_kind_id' }, age, id],
  },
  {
    resource: 'helmRegistries',
    table: 'helm_registries',
    names: ['registries', 'registry'],
    name: 'repo_name',
    columns: [
      { title: 'REPOSITORY', field: 'repo_name' },
      { title: 'DOMAIN', field: 'domain_name' },
      kind,
      { title: 'AVAILABLE', field: 'available' },
      age,
      id,
    ],
  },
  {
    resource: 'helmTagFormats',
    table: 'helm_tag_formats',
    names: ['tag-formats', 'tag-format'],
    name: 'pattern',
    columns: [{ title: 'PATTERN', field: 'pattern' }, age, id],
  },
  {
    resource: 'auditEvents',
    names: ['audit-events', 'audit-event', 'audit'],
    inEnv: true,
    isBackward: true,
    columns: [
      { title: 'AT', field: 'at' },
      { title: 'ACTOR', field: 'actor.id', of: 'users', orOf: ['bots', 'deployments'] },
      { title: 'OPERATION', field: 'operation' },
      { title: 'OBJECT', field: 'object.resource' },
      { title: 'NAME', field: 'after.name', otherwise: ['before.name', 'object.id'] },
      { title: 'RESULT', field: 'result' },
      id,
    ],
  },
];
