import { implement } from '@berth/bus/rpc/implement';
import { botTokens } from '@berth/contracts/resources/accounts/bot-tokens';
import { bots } from '@berth/contracts/resources/accounts/bots';
import type { Database } from '@berth/db/database';
import { applyGiven } from '@berth/db/changes/apply-given';
import { createRow } from '@berth/db/changes/create-row';
import { removeRow } from '@berth/db/changes/remove-row';
import { updateRow } from '@berth/db/changes/update-row';
import type { InTransaction } from '@berth/db/in-transaction';
import { found } from '@berth/contracts/errors';
import type { ChangesRights } from '../identity-leases/changes-rights.ts';
import type { BotTokenChanges } from './bot-token-repository.ts';
import { type BotChanges, createBotRepository } from './bot-repository.ts';

export interface BotHandlersDeps {
  db: Database;
  inTransaction: InTransaction<{ bots: BotChanges; botTokens: BotTokenChanges }>;
  changesRights: ChangesRights;
}

export const botHandlers = ({ db, inTransaction, changesRights }: BotHandlersDeps) => {
  const botRepository = createBotRepository(db);

  return implement(bots, {
    list: ({ query }) => botRepository.list(query),

    get: async ({ id }) => found(await botRepository.find(id), 'bot'),

    // A new bot has no token, so no gateway can know it.
    create: ({ body }, context) =>
      createRow(inTransaction, context, bots, { insert: (store) => store.bots.insert(body) }),

    update: changesRights(({ id, body }, context) =>
      updateRow(inTransaction, context, bots, {
        lock: (store) => store.bots.lock(id),
        wanted: (before) => applyGiven(before, body),
        update: (store, wanted) => store.bots.update(id, wanted),
      }),
    ),

    delete: changesRights(({ id }, context) =>
      removeRow(inTransaction, context, bots, {
        lock: (store) => store.bots.lock(id),
        remove: async (store, _before, also) => {
          // Revoked first, so that each token has its own audit event.
          also.removed(botTokens, await store.botTokens.revokeOfBot(id), 'revoke');
          await store.bots.remove(id);
        },
      }),
    ),
  });
};
