import { implement } from '@berth/shared/bus/rpc/implement';
import { botTokens } from '@berth/shared/contracts/resources/bot-tokens';
import type { Database } from '@berth/shared/db/database';
import { once } from '@berth/shared/db/idempotency/once';
import { recordChange } from '@berth/shared/db/changes/record-change';
import { found, named } from '@berth/shared/errors';
import { createBotRepository } from '../bots/bot-repository.ts';
import { newApiToken } from './api-token.ts';
import { createBotTokenRepository } from './bot-token-repository.ts';
import { refusePastExpiry } from './refuse-past-expiry.ts';

export const botTokenHandlers = ({ db }: { db: Database }) => {
  const botTokenRepository = createBotTokenRepository(db);

  return implement(botTokens, {
    list: ({ query }) => botTokenRepository.list(query),

    get: async ({ id }) => found(await botTokenRepository.find(id), 'bot token'),

    create: ({ body }, context) => {
      const { bot_id, name = null, expires_at = null } = body;

      return db.transaction((tx) =>
        once(tx, context, async () => {
          await refusePastExpiry(tx, expires_at);
          named(await createBotRepository(tx).hold(bot_id), 'body.bot_id', 'bot');
          const { id, secretHash, text } = newApiToken();
          const created_by_user_id = context.identity.id;
          const row = { id, bot_id, created_by_user_id, name, expires_at, secretHash };
          const after = await createBotTokenRepository(tx).insert(row);
          await recordChange(tx, context, botTokens, { after, envId: null });
          return { created_token: text };
        }),
      );
    },

    delete: ({ id }, context) =>
      db.transaction(async (tx) => {
        const botTokenRepository = createBotTokenRepository(tx);
        const before = found(await botTokenRepository.lock(id), 'bot token');
        context.checkIfMatch(before);

        await botTokenRepository.revoke(id);
        await recordChange(tx, context, botTokens, { before, envId: null, action: 'revoke' });
        return null;
      }),
  });
};
