import { implement } from '@berth/bus/rpc/implement';
import { botTokens } from '@berth/contracts/resources/accounts/bot-tokens';
import { bots } from '@berth/contracts/resources/accounts/bots';
import type { Database } from '@berth/db/database';
import { applyGiven } from '@berth/db/changes/apply-given';
import { change, removed } from '@berth/db/changes/change';
import { found } from '@berth/contracts/errors';
import type { ChangesRights } from '../identity-leases/changes-rights.ts';
import { createBotTokenRepository } from './bot-token-repository.ts';
import { createBotRepository } from './bot-repository.ts';

export interface BotHandlersDeps {
  db: Database;
  changesRights: ChangesRights;
}

export const botHandlers = ({ db, changesRights }: BotHandlersDeps) => {
  const botRepository = createBotRepository(db);

  return implement(bots, {
    list: ({ query }) => botRepository.list(query),

    get: async ({ id }) => found(await botRepository.find(id), 'bot'),

    create: ({ body }, context) => change(db, context, bots, { insert: (tx) => createBotRepository(tx).insert(body) }),

    update: changesRights(({ id, body }, context) =>
      change(db, context, bots, {
        lock: (tx) => createBotRepository(tx).lock(id),
        wanted: (before) => applyGiven(before, body),
        update: (tx, wanted) => createBotRepository(tx).update(id, wanted),
      }),
    ),

    delete: changesRights(({ id }, context) =>
      change(db, context, bots, {
        lock: (tx) => createBotRepository(tx).lock(id),
        remove: async (tx, _before, also) => {
          also(botTokens, removed(await createBotTokenRepository(tx).revokeOfBot(id), 'revoke'));
          await createBotRepository(tx).remove(id);
        },
      }),
    ),
  });
};
