import { randomUUID } from 'node:crypto';
import type { HandlerContext } from '@berth/shared/bus/rpc/handler';
import { type NewSecret, type Secret, secrets } from '@berth/shared/contracts/resources/secrets';
import { change, type ChangeContext } from '@berth/shared/db/changes/change';
import type { OnceContext } from '@berth/shared/db/idempotency/once';
import { named } from '@berth/shared/errors';
import { writingStore } from '../store/store.ts';
import { refuseWithMissingKeys } from './missing-keys.ts';
import { sealContents } from './sealed-contents.ts';
import type { SecretKeys } from './secret-keys.ts';
import type { SecretsDeps } from './secrets-deps.ts';

type Context = HandlerContext<typeof secrets.operations.create>;

const envPath = 'body.env_id';

export const createSecret =
  ({ db, confirm, secretKeys }: SecretsDeps) =>
  async (body: NewSecret, context: Context): Promise<Secret> => {
    const { contents, ...fields } = body;
    const { env_id } = fields;
    // A new env gets its secrets at once, before a copy of it is here; one that the caller cannot see does not exist.
    await confirm.env(env_id, envPath, context);
    return change(db, withoutContents(context, body, secretKeys), secrets, {
      insert: async (tx) => {
        const store = writingStore(tx);
        named((await store.projected.holdEnv(env_id)) ? env_id : null, envPath, 'env');
        context.permit({ env_id });
        await refuseWithMissingKeys(store, secretKeys);
        const id = randomUUID();
        return store.secretChanges.insert({ ...fields, id, ...sealContents(secretKeys, { id, env_id }, contents) });
      },
    });
  };

/**
 * Requests are remembered by a hash with a key that lies in the same database, which is no protection for a short password
 * in a dump of it. A repeat after a rotation of the key counts as another request and is refused.
 */
function withoutContents(context: Context, body: NewSecret, keys: SecretKeys): ChangeContext & OnceContext<Secret> {
  const { identity, requestId, permit, checkIfMatch, checkChange } = context;
  const repeatable = () => {
    const asked = context.repeatable();
    return asked && { ...asked, request: { body: { ...body, contents: keys.digest(body.contents) } } };
  };
  return { identity, requestId, permit, checkIfMatch, checkChange, repeatable };
}
