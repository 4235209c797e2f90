import { z } from 'zod';

/**
 * The source of a CollectionSelect's items: a table or a type of resources, as `{deployment: kind, type: key}` or, in the older
 * form, the key alone.
 */
export const Collection = z.union(
  [
    z.string().min(1).max(200),
    z.strictObject({ deployment: z.string().min(1).max(200), type: z.string().min(1).max(200) }),
  ],
  'must be a table, the key of a resource type, or {deployment, type}',
);
export type Collection = z.infer<typeof Collection>;

const tables = [
  'bots',
  'deployment_kinds',
  'deployment_permissions',
  'deployment_resource_types',
  'deployment_resources',
  'deployment_tasks',
  'deployments',
  'env_user_permissions',
  'envs',
  'helm_charts',
  'helm_registries',
  'helm_tag_formats',
  'k8s_clusters',
  'k8s_resources',
  'secrets',
  'users',
] as const;
export type CollectionTable = (typeof tables)[number];

/**
 * The properties that a chart may read from items of a table. From other tables it gets only the id, which is the input's value.
 */
export const readableProperties = {
  deployments: ['id', 'created_at', 'name', 'kind', 'cluster_id', 'enabled'],
  secrets: ['id', 'created_at', 'updated_at', 'env_id', 'collection', 'name', 'contents'],
} as const satisfies Partial<Record<CollectionTable, readonly string[]>>;

export type CollectionSource =
  | { table: CollectionTable }
  /** `kind` is null in the older form, which means the first type with this key in the env, or a global one. */
  | { resourceType: { kind: string | null; key: string } };

export function sourceOf(collection: Collection): CollectionSource {
  if (typeof collection !== 'string') {
    return { resourceType: { kind: collection.deployment, key: collection.type } };
  }
  const table = tables.find((name) => name === collection);
  return table ? { table } : { resourceType: { kind: null, key: collection } };
}

/** Null if any property is allowed, because only the type of a resource knows its properties. */
export function propertiesIn(collection: Collection): { table: string; properties: readonly string[] } | null {
  const source = sourceOf(collection);
  if ('resourceType' in source) return null;
  const { table } = source;
  return { table, properties: hasReadable(table) ? readableProperties[table] : [] };
}

const hasReadable = (table: CollectionTable): table is keyof typeof readableProperties => table in readableProperties;
