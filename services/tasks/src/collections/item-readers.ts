import type { ItemRepository } from '../store/deployments/item-repository.ts';
import type { ItemReaders } from './find-items.ts';

interface Items {
  items: ItemRepository;
}

/** Every collection that has items; a new one is a line in each. */
export const itemReaders = ({ items }: Items): ItemReaders => ({
  deployments: items.deployments,
  secrets: items.secrets,
});

/** For the transaction that is about to refer to the items: they stay as they are until it ends. */
export const heldItemReaders = ({ items }: Items): ItemReaders => ({
  deployments: items.heldDeployments,
  secrets: items.heldSecrets,
});
