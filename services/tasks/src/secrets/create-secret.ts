import { randomUUID } from 'node:crypto';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { type NewSecret, type Secret, secrets } from '@berth/contracts/resources/deployments/secrets';
import { createRow } from '@berth/db/changes/create-row';
import { named } from '@berth/contracts/errors';
import { refuseWithMissingKeys } from './missing-keys.ts';
import { repeatableWith } from './repeatable-with.ts';
import { sealContents } from './sealed-contents.ts';
import type { SecretsDeps } from './secrets-deps.ts';

type Context = HandlerContext<typeof secrets.operations.create>;

const envPath = 'body.env_id';

export const createSecret =
  ({ inTransaction, confirm, secretKeys }: SecretsDeps) =>
  async (body: NewSecret, context: Context): Promise<Secret> => {
    const { contents, ...fields } = body;
    const { env_id } = fields;
    // Confirmed, because the projection of a new env may lag; an env that the caller cannot see counts as missing.
    await confirm.env(env_id, envPath, context);
    const digested = { ...body, contents: secretKeys.digest(contents) };
    return createRow(inTransaction, repeatableWith(context, { body: digested }), secrets, {
      insert: async (store) => {
        named((await store.projected.holdEnv(env_id)) ? env_id : null, envPath, 'env');
        context.permit({ env_id });
        await refuseWithMissingKeys(store, secretKeys);
        const id = randomUUID();
        return store.secretChanges.insert({ ...fields, id, ...sealContents(secretKeys, { id, env_id }, contents) });
      },
    });
  };
