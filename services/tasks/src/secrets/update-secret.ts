import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { type Secret, type SecretChanges, secrets } from '@berth/contracts/resources/deployments/secrets';
import { updateRow } from '@berth/db/changes/update-row';
import { originOf } from '../records/origin-of.ts';
import { publicSecret, type SecretRecord } from '../records/secret-record.ts';
import { refuseWithMissingKeys } from './missing-keys.ts';
import { openContents, sealContents } from './sealed-contents.ts';
import type { SecretKeys } from './secret-keys.ts';
import type { SecretsDeps } from './secrets-deps.ts';

type Context = HandlerContext<typeof secrets.operations.update>;

/** Changes the secret and queues a `Reinstall` of every enabled deployment that refers to it, in one transaction. */
export const updateSecret =
  ({ inTransaction, secretKeys, notifyRunners }: SecretsDeps) =>
  (id: string, { name, contents }: SecretChanges, context: Context): Promise<Secret> =>
    updateRow(inTransaction, context, secrets, {
      lock: async (store) => {
        // Check visibility first: a caller who may not see the row must not lock it.
        const visible = await store.secrets.find(id, visibleEnvs(context.identity));
        return visible && store.secrets.lock(id);
      },
      wanted: (before): SecretRecord => ({
        ...before,
        ...(name !== undefined && { name }),
        ...(contents !== undefined &&
          !holds(before, contents, secretKeys) &&
          sealContents(secretKeys, before, contents)),
      }),
      update: async (store, wanted, before) => {
        const isReplaced = wanted.sealed_contents !== before.sealed_contents;
        if (isReplaced) await refuseWithMissingKeys(store, secretKeys);
        const after = await store.secretChanges.update(wanted);

        const what = isReplaced ? 'has changed' : 'was renamed';
        const reason = `The secret ${before.collection}/${before.name}, which it uses, ${what}`;
        const origin = originOf(context);
        const tasks = await store.reinstalls.ofDependents({ collection: 'secrets', id }, reason, origin);
        if (tasks.length > 0) store.afterCommit(notifyRunners);
        return after;
      },
      publicRow: publicSecret,
    });

/** Whether the secret has these contents; false if its own cannot be opened, so that they can still be replaced. */
function holds(secret: SecretRecord, contents: string, keys: SecretKeys): boolean {
  try {
    return openContents(keys, secret) === contents;
  } catch {
    return false;
  }
}
