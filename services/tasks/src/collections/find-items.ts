import type { ConfigReference } from '@berth/chart-extensions/config-references';
import type { JsonObject } from '@berth/shared/contracts/json';
import { collectionKey, type FollowedCollection } from './collection-key.ts';

/** Reads items of one collection that lie in an env. */
export type ReadItems = (envId: string, ids: readonly string[]) => Promise<readonly (JsonObject & { id: string })[]>;

/** A collection that is missing here has no items yet, so that nothing can point into it. */
export type ItemReaders = Partial<Record<FollowedCollection, ReadItems>>;

/** The item that a reference points to; undefined where there is none in the env. */
export type ItemOf = (reference: ConfigReference) => JsonObject | undefined;

/** All items that the references of one config point to, with one query per collection. */
export async function findItems(
  readers: ItemReaders,
  references: readonly ConfigReference[],
  envId: string,
): Promise<ItemOf> {
  const wanted = Map.groupBy(references, ({ collection }) => collectionKey(collection));
  const found = new Map<string, JsonObject>();
  for (const [key, group] of wanted) {
    const read = key === null ? undefined : readers[key];
    if (!read) continue;
    const ids = [...new Set(group.map(({ id }) => id))];
    for (const item of await read(envId, ids)) found.set(`${key} ${item.id}`, item);
  }
  return ({ collection, id }) => found.get(`${collectionKey(collection)} ${id}`);
}
