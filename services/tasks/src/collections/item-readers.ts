import type { ItemReaders } from './find-items.ts';
import type { ItemRepository } from '../store/item-repository.ts';

/** Every collection that has items; a new one is a line in each. */
export const itemReaders = (items: ItemRepository): ItemReaders => ({
  deployments: items.deployments,
  secrets: items.secrets,
});

/** For the transaction that is about to refer to the items: they stay as they are until it ends. */
export const heldItemReaders = (items: ItemRepository): ItemReaders => ({
  deployments: items.heldDeployments,
  secrets: items.heldSecrets,
});
