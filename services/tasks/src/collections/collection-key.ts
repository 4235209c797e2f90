import { type Collection, sourceOf } from '@berth/chart-extensions/collection';

/** The sorts of items whose change concerns those who refer to them. */
const followed = ['deployments', 'secrets', 'deployment_resources'] as const;
export type FollowedCollection = (typeof followed)[number];

/**
 * Under which key a reference is kept, the same for every spelling that charts have for it.
 * Null for tables of which only the id is taken; nothing of ours changes with them.
 */
export function collectionKey(collection: Collection): FollowedCollection | null {
  const source = sourceOf(collection);
  if ('resourceType' in source) return 'deployment_resources';
  return followed.find((name) => name === source.table) ?? null;
}

/** For messages. */
export const itemName = { deployments: 'deployment', secrets: 'secret', deployment_resources: 'resource' } as const;
