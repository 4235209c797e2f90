import { type Collection, sourceOf } from '@berth/chart-extensions/form/collection';
import type { JsonObject } from '@berth/contracts/fields/json';
import type { ItemRepository } from '../store/deployments/item-repository.ts';
import type { ResourceRepository } from '../store/resources/resource-repository.ts';
import type { Item, ItemReaders, ReadItems } from './find-items.ts';

interface Items {
  items: ItemRepository;
  resources: Pick<ResourceRepository, 'items' | 'heldItems'>;
}

/** Readers of all collections that have items. A new collection adds a line here and to `heldItemReaders`. */
export const itemReaders = ({ items, resources }: Items): ItemReaders => ({
  deployments: rowsOf(items.deployments),
  secrets: rowsOf(items.secrets),
  deployment_resources: resourcesOf(resources.items),
});

/** Locks the items until the end of the transaction, so that references to them stay valid. */
export const heldItemReaders = ({ items, resources }: Items): ItemReaders => ({
  deployments: rowsOf(items.heldDeployments),
  secrets: rowsOf(items.heldSecrets),
  deployment_resources: resourcesOf(resources.heldItems),
});

type ReadRows = (envId: string, ids: readonly string[]) => Promise<readonly (JsonObject & { id: string })[]>;

const rowsOf =
  (read: ReadRows): ReadItems =>
  async (envId, ids) =>
    (await read(envId, ids)).map((row) => ({ id: row.id, properties: row }));

/** The id, name and props of a resource, without its sensitive props, so that a chart's filters cannot compare with them. */
const resourcesOf =
  (read: ResourceRepository['items']): ReadItems =>
  async (envId, ids) =>
    (await read(envId, ids)).map(
      ({ id, name, props, key, kind }): Item => ({
        id,
        properties: { ...props, id, name },
        isIn: (collection) => isOfType(collection, { key, kind }),
      }),
    );

/** The older form has only the key, so any kind matches. */
function isOfType(collection: Collection, type: { key: string; kind: string }): boolean {
  const source = sourceOf(collection);
  if (!('resourceType' in source)) return false;
  const { kind, key } = source.resourceType;
  return key === type.key && (kind === null || kind === type.kind);
}
