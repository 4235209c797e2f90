import type { Database } from '@berth/shared/db/database';
import type { ItemReaders } from '../collections/find-items.ts';
import type { Confirm } from '../projections/confirm.ts';
import type { ReadingStore, WritingStore } from '../store/store.ts';

export interface DeploymentsDeps {
  store: ReadingStore;
  /** For `change`. */
  db: Pick<Database, 'transaction'>;
  /** Asks other services where our copies of their rows may lag. */
  confirm: Confirm;
  /** The items that inputs may point to, held as they are until the transaction ends. */
  heldReaders: (store: WritingStore) => ItemReaders;
  /** Namespaces of our own. */
  reserved: readonly string[];
  /** After the commit: something became due. */
  wakeRunners: () => void;
}
