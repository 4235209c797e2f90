import type { Identity } from '@berth/contracts/access/identity';
import { implement } from '@berth/bus/rpc/implement';
import { mostUserTokens, mostUserTokensADay, userTokens } from '@berth/contracts/resources/accounts/user-tokens';
import type { Database } from '@berth/db/database';
import { createRow } from '@berth/db/changes/create-row';
import { removeRow } from '@berth/db/changes/remove-row';
import type { InTransaction } from '@berth/db/in-transaction';
import { AppError, found, named } from '@berth/contracts/errors';
import type { ChangesRights } from '../identity-leases/changes-rights.ts';
import { newApiToken } from './api-token.ts';
import { type ClockStore, refusePastExpiry } from './refuse-past-expiry.ts';
import { createUserTokenRepository, type Holders, type UserTokenChanges } from './user-token-repository.ts';

/** Site admins see all user tokens, users see their own, bots and deployments do not see any. */
function visibleHolders(identity: Identity): Holders {
  if (identity.kind !== 'user') return 'none';
  return identity.is_admin ? 'all' : { userId: identity.id };
}

function refuseTooMany(held: { now: number; today: number }): void {
  if (held.now >= mostUserTokens)
    throw new AppError('conflict', `A user may have at most ${mostUserTokens} tokens; revoke one that is not used`);
  if (held.today >= mostUserTokensADay)
    throw new AppError('conflict', `A user may create at most ${mostUserTokensADay} tokens a day; keep one for longer`);
}

export interface UserTokenHandlersDeps {
  db: Database;
  inTransaction: InTransaction<ClockStore & { userTokens: UserTokenChanges }>;
  changesRights: ChangesRights;
}

export const userTokenHandlers = ({ db, inTransaction, changesRights }: UserTokenHandlersDeps) => {
  const userTokenRepository = createUserTokenRepository(db);

  return implement(userTokens, {
    list: ({ query }, { identity }) => userTokenRepository.list(query, visibleHolders(identity)),

    get: async ({ id }, { identity }) =>
      found(await userTokenRepository.find(id, visibleHolders(identity)), 'user token'),

    // No gateway can know a new token, so none has to forget it.
    create: ({ body }, context) => {
      const { identity } = context;
      const { name = null, expires_at = null } = body;
      if (identity.kind !== 'user') throw new AppError('forbidden', 'Only users can create user tokens');

      const { id, secretHash, text } = newApiToken();
      return createRow(inTransaction, context, userTokens, {
        insert: async (store) => {
          await refusePastExpiry(store, expires_at);
          const user_id = body.user_id ?? identity.id;
          context.permit(named(await store.userTokens.lockHolder(user_id), 'body.user_id', 'user'));
          refuseTooMany(await store.userTokens.held(user_id));
          return store.userTokens.insert({ id, user_id, name, expires_at, secretHash });
        },
        answer: () => ({ created_token: text }),
      });
    },

    delete: changesRights(({ id }, context) =>
      removeRow(inTransaction, context, userTokens, {
        lock: (store) => store.userTokens.lock(id, visibleHolders(context.identity)),
        remove: (store) => store.userTokens.revoke(id),
        verb: 'revoke',
      }),
    ),
  });
};
