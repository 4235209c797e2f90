import type { ItemReaders } from '../collections/find-items.ts';
import type { Confirm } from '../projections/confirm.ts';
import type { InTransaction, ReadingStore } from '../store/store.ts';

export interface DeploymentsDeps {
  store: ReadingStore;
  inTransaction: InTransaction;
  /** Confirms rows with their owners where our projections may lag. */
  confirm: Confirm;
  /** The items that inputs may point to, locked until the transaction ends. */
  heldReaders: (store: ReadingStore) => ItemReaders;
  /** Namespaces that deployments may not use. */
  reserved: readonly string[];
  /** Called after the commit, when a task became due. */
  notifyRunners: () => void;
}
