import { implement } from '@berth/bus/rpc/implement';
import { botTokens } from '@berth/contracts/resources/accounts/bot-tokens';
import type { Database } from '@berth/db/database';
import { change } from '@berth/db/changes/change';
import { found, named } from '@berth/contracts/errors';
import type { ChangesRights } from '../identity-leases/changes-rights.ts';
import { createBotRepository } from './bot-repository.ts';
import { newApiToken } from '../tokens/api-token.ts';
import { createBotTokenRepository } from './bot-token-repository.ts';
import { refusePastExpiry } from '../tokens/refuse-past-expiry.ts';

export interface BotTokenHandlersDeps {
  db: Database;
  changesRights: ChangesRights;
}

export const botTokenHandlers = ({ db, changesRights }: BotTokenHandlersDeps) => {
  const botTokenRepository = createBotTokenRepository(db);

  return implement(botTokens, {
    list: ({ query }) => botTokenRepository.list(query),

    get: async ({ id }) => found(await botTokenRepository.find(id), 'bot token'),

    create: ({ body }, context) => {
      const { bot_id, name = null, expires_at = null } = body;
      const { id, secretHash, text } = newApiToken();
      const created_by_user_id = context.identity.id;

      return change(db, context, botTokens, {
        insert: async (tx) => {
          await refusePastExpiry(tx, expires_at);
          named(await createBotRepository(tx).hold(bot_id), 'body.bot_id', 'bot');
          const row = { id, bot_id, created_by_user_id, name, expires_at, secretHash };
          return createBotTokenRepository(tx).insert(row);
        },
        answer: () => ({ created_token: text }),
      });
    },

    delete: changesRights(({ id }, context) =>
      change(db, context, botTokens, {
        lock: (tx) => createBotTokenRepository(tx).lock(id),
        remove: (tx) => createBotTokenRepository(tx).revoke(id),
        action: 'revoke',
      }),
    ),
  });
};
