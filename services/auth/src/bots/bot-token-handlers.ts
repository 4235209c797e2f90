import { implement } from '@berth/bus/rpc/implement';
import { botTokens } from '@berth/contracts/resources/accounts/bot-tokens';
import type { Database } from '@berth/db/database';
import { createRow } from '@berth/db/changes/create-row';
import { removeRow } from '@berth/db/changes/remove-row';
import type { InTransaction } from '@berth/db/in-transaction';
import { found, named } from '@berth/contracts/errors';
import type { ChangesRights } from '../identity-leases/changes-rights.ts';
import type { BotChanges } from './bot-repository.ts';
import { newApiToken } from '../tokens/api-token.ts';
import { type BotTokenChanges, createBotTokenRepository } from './bot-token-repository.ts';
import { type ClockStore, refusePastExpiry } from '../tokens/refuse-past-expiry.ts';

export interface BotTokenHandlersDeps {
  db: Database;
  inTransaction: InTransaction<ClockStore & { bots: BotChanges; botTokens: BotTokenChanges }>;
  changesRights: ChangesRights;
}

export const botTokenHandlers = ({ db, inTransaction, changesRights }: BotTokenHandlersDeps) => {
  const botTokenRepository = createBotTokenRepository(db);

  return implement(botTokens, {
    list: ({ query }) => botTokenRepository.list(query),

    get: async ({ id }) => found(await botTokenRepository.find(id), 'bot token'),

    create: ({ body }, context) => {
      const { bot_id, name = null, expires_at = null } = body;
      const { id, secretHash, text } = newApiToken();
      const created_by_user_id = context.identity.id;

      return createRow(inTransaction, context, botTokens, {
        insert: async (store) => {
          await refusePastExpiry(store, expires_at);
          named(await store.bots.hold(bot_id), 'body.bot_id', 'bot');
          const row = { id, bot_id, created_by_user_id, name, expires_at, secretHash };
          return store.botTokens.insert(row);
        },
        // Only the hash is stored, so the token cannot be read again.
        answer: () => ({ created_token: text }),
      });
    },

    delete: changesRights(({ id }, context) =>
      removeRow(inTransaction, context, botTokens, {
        lock: (store) => store.botTokens.lock(id),
        remove: (store) => store.botTokens.revoke(id),
        verb: 'revoke',
      }),
    ),
  });
};
