import type { Confirm } from '../projections/confirm.ts';
import type { InTransaction, ReadingStore } from '../store/store.ts';
import type { SecretKeys } from './secret-keys.ts';

export interface SecretsDeps {
  inTransaction: InTransaction;
  store: Pick<ReadingStore, 'secrets' | 'impact'>;
  confirm: Pick<Confirm, 'env'>;
  secretKeys: SecretKeys;
  /** Called after the commit, when a task became due. */
  notifyRunners: () => void;
}
