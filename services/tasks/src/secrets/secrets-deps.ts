import type { Database } from '@berth/db/database';
import type { Confirm } from '../projections/confirm.ts';
import type { ReadingStore } from '../store/store.ts';
import type { SecretKeys } from './secret-keys.ts';

export interface SecretsDeps {
  db: Pick<Database, 'transaction'>;
  store: Pick<ReadingStore, 'secrets'>;
  confirm: Pick<Confirm, 'env'>;
  secretKeys: SecretKeys;
  /** Called after the commit, when a task became due. */
  notifyRunners: () => void;
}
