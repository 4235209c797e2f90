import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { type Secret, secrets } from '@berth/contracts/resources/deployments/secrets';
import { removeRow } from '@berth/db/changes/remove-row';
import { conflict } from '../errors/refuse.ts';
import type { WritingStore } from '../store/store.ts';
import type { SecretsDeps } from './secrets-deps.ts';

type Context = HandlerContext<typeof secrets.operations.delete>;

export const deleteSecret =
  ({ inTransaction }: SecretsDeps) =>
  (id: string, context: Context): Promise<null> =>
    removeRow(inTransaction, context, secrets, {
      lock: async (store) => {
        const visible = await store.secrets.find(id, visibleEnvs(context.identity));
        return visible && store.secrets.lockToDelete(id);
      },
      remove: async (store, secret: Secret) => {
        await refuseWhileUsed(store, secret);
        await store.secretChanges.remove(id);
      },
    });

/** Call it under the secret's lock, so that a deployment that is about to refer to it waits and then finds it gone. */
async function refuseWhileUsed(
  { references }: Pick<WritingStore, 'references'>,
  { id, collection, name }: Secret,
): Promise<void> {
  const dependents = await references.enabledDependentsOf('secrets', id);
  if (dependents.length === 0) return;
  const names = dependents.map(({ namespace }) => namespace).join(', ');
  throw conflict(`The secret ${collection}/${name} cannot be deleted while enabled deployments use it: ${names}`);
}
