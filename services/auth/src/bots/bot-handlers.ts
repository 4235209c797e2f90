import { implement } from '@berth/shared/bus/rpc/implement';
import { botTokens } from '@berth/shared/contracts/resources/bot-tokens';
import { bots } from '@berth/shared/contracts/resources/bots';
import type { Database } from '@berth/shared/db/database';
import { once } from '@berth/shared/db/idempotency/once';
import { recordChange, recordChanges } from '@berth/shared/db/changes/record-change';
import { found } from '@berth/shared/errors';
import { createBotTokenRepository } from '../tokens/bot-token-repository.ts';
import { createBotRepository } from './bot-repository.ts';

export const botHandlers = ({ db }: { db: Database }) => {
  const botRepository = createBotRepository(db);

  return implement(bots, {
    list: ({ query }) => botRepository.list(query),

    get: async ({ id }) => found(await botRepository.find(id), 'bot'),

    create: ({ body }, context) =>
      db.transaction((tx) =>
        once(tx, context, async () => {
          const after = await createBotRepository(tx).insert(body);
          await recordChange(tx, context, bots, { after, envId: null });
          return after;
        }),
      ),

    update: ({ id, body }, context) =>
      db.transaction(async (tx) => {
        const botRepository = createBotRepository(tx);
        const before = found(await botRepository.lock(id), 'bot');
        context.checkIfMatch(before);

        const { display_name = before.display_name, is_active = before.is_active } = body;
        if (display_name === before.display_name && is_active === before.is_active) return before;

        const after = await botRepository.update(id, { display_name, is_active });
        await recordChange(tx, context, bots, { before, after, envId: null });
        return after;
      }),

    delete: ({ id }, context) =>
      db.transaction(async (tx) => {
        const botRepository = createBotRepository(tx);
        const before = found(await botRepository.lock(id), 'bot');
        context.checkIfMatch(before);

        const revoked = await createBotTokenRepository(tx).revokeOfBot(id);
        await botRepository.remove(id);
        const revocations = revoked.map((token) => ({ before: token, envId: null, action: 'revoke' }));
        await recordChanges(tx, context, botTokens, revocations);
        await recordChange(tx, context, bots, { before, envId: null });
        return null;
      }),
  });
};
