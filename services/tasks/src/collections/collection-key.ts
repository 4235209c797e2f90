import { type Collection, sourceOf } from '@berth/chart-extensions/form/collection';

/** Kinds of items whose changes reinstall the deployments that refer to them. */
const followed = ['deployments', 'secrets', 'deployment_resources'] as const;
export type FollowedCollection = (typeof followed)[number];

/**
 * The key of a collection, the same for every spelling that charts use. Null for tables that charts only use by id: their changes
 * reinstall no deployment.
 */
export function collectionKey(collection: Collection): FollowedCollection | null {
  const source = sourceOf(collection);
  if ('resourceType' in source) return 'deployment_resources';
  return followed.find((name) => name === source.table) ?? null;
}

/** For messages. */
export const itemName = { deployments: 'deployment', secrets: 'secret', deployment_resources: 'resource' } as const;
