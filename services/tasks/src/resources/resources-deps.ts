import type { DeploymentsDeps } from '../deployments/deployments-deps.ts';
import type { SecretKeys } from '../secrets/secret-keys.ts';
import type { ReadingStore } from '../store/store.ts';

export interface ResourcesDeps extends Pick<DeploymentsDeps, 'inTransaction' | 'heldReaders' | 'notifyRunners'> {
  store: Pick<ReadingStore, 'resources' | 'resourceTypes'>;
  secretKeys: SecretKeys;
}
