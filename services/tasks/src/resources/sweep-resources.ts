import type { InTransaction, WritingStore } from '../store/store.ts';
import { missingKeys } from '../secrets/missing-keys.ts';
import { openedOrNull, sealProps } from '../secrets/sealed-props.ts';
import type { SecretKeys } from '../secrets/secret-keys.ts';
import { afterEvent } from './sync/sync.ts';
import { syncOf, withSync } from './sync/sync-of.ts';

const mostAtOnce = 200;
const none = { create: false, update: false, delete: false };
const managerGone = 'The deployment that managed it was deleted';

/**
 * Gives up calls to managing deployments that were deleted, seals props that became sensitive, and forgets deleted
 * resources.
 */
export const sweepResources =
  ({ inTransaction, secretKeys }: { inTransaction: InTransaction; secretKeys: SecretKeys }) =>
  (): Promise<void> =>
    inTransaction(async (store) => {
      const { resourceChanges } = store;
      for (const row of await resourceChanges.lockOrphans(mostAtOnce)) {
        const sync = afterEvent(syncOf(row), 'manager deleted', none) ?? syncOf(row);
        const isOver = sync.sync_status !== row.sync_status && sync.exists;
        await resourceChanges.saveSync(
          { ...withSync(row, sync), sync_reason: isOver ? managerGone : row.sync_reason, attempts: 0 },
          { orphaned: true },
        );
      }
      await sealExposed(store, secretKeys);
      await resourceChanges.forget(mostAtOnce);
    });

async function sealExposed(store: WritingStore, keys: SecretKeys): Promise<void> {
  const exposed = await store.resourceChanges.lockExposed(mostAtOnce);
  // Without the right key nobody else could open what this process seals.
  if (exposed.length === 0 || (await missingKeys(store, keys)).length > 0) return;
  for (const row of exposed) {
    const hidden = openedOrNull(keys, row);
    // The row was changed outside Berth; its next update repairs it.
    if (hidden === null) continue;
    const sealed = sealProps(keys, row, { ...row.props, ...hidden }, row.sensitive);
    await store.resourceChanges.saveSealed({ ...sealed, id: row.id });
  }
}
