import type { Collection } from '@berth/chart-extensions/form/collection';
import type { ConfigReference } from '@berth/chart-extensions/config/config-references';
import type { JsonObject } from '@berth/contracts/fields/json';
import { collectionKey, type FollowedCollection } from './collection-key.ts';

export interface Item {
  id: string;
  /** The item's fields that filters and outputs of a form may read. */
  properties: JsonObject;
  /** Whether an item belongs to this collection; needed where several types share a table. */
  isIn?: (collection: Collection) => boolean;
}

/** Reads the items of one collection in an env. */
export type ReadItems = (envId: string, ids: readonly string[]) => Promise<readonly Item[]>;

export type ItemReaders = Record<FollowedCollection, ReadItems>;

/** The item that a reference points to; undefined if the env has no such item. */
export type ItemOf = (reference: ConfigReference) => JsonObject | undefined;

/** All items that the references of one config point to, with one query per collection. */
export async function findItems(
  readers: ItemReaders,
  references: readonly ConfigReference[],
  envId: string,
): Promise<ItemOf> {
  const wanted = Map.groupBy(references, ({ collection }) => collectionKey(collection));
  const found = new Map<string, Item>();
  for (const [key, group] of wanted) {
    if (key === null) continue;
    const ids = [...new Set(group.map(({ id }) => id))];
    for (const item of await readers[key](envId, ids)) found.set(`${key} ${item.id}`, item);
  }
  return ({ collection, id }) => {
    const item = found.get(`${collectionKey(collection)} ${id}`);
    return item?.isIn?.(collection) === false ? undefined : item?.properties;
  };
}
