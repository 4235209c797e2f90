import type { Database } from '@berth/db/database';
import type { DeploymentsDeps } from '../deployments/deployments-deps.ts';
import type { SecretKeys } from '../secrets/secret-keys.ts';
import type { ReadingStore } from '../store/store.ts';

export interface ResourcesDeps extends Pick<DeploymentsDeps, 'heldReaders' | 'notifyRunners'> {
  db: Pick<Database, 'transaction'>;
  store: Pick<ReadingStore, 'resources' | 'resourceTypes'>;
  secretKeys: SecretKeys;
}
