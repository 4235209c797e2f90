import { z } from 'zod';
import { siteAdmins } from '../../access/readers.ts';
import { siteAdmin } from '../../access/rules.ts';
import { CreatedToken, newTokenFields, tokenFields } from './api-token.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, Timestamp } from '../../fields/fields.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';

export const BotToken = z.strictObject({
  id: Id,
  bot_id: Id,
  created_at: Timestamp,
  created_by_user_id: Id,
  ...tokenFields,
});
export type BotToken = z.infer<typeof BotToken>;

export const NewBotToken = z.strictObject({ bot_id: Id, ...newTokenFields });
export type NewBotToken = z.infer<typeof NewBotToken>;

export const botTokens = resource('bot_tokens', {
  owner: 'auth',
  singular: 'bot token',
  state: { row: BotToken, readers: siteAdmins, consumers: [] },
  operations: {
    list: operation({
      http: 'GET /bot-tokens',
      summary: 'List bot tokens',
      allow: siteAdmin,
      query: listQuery({
        filters: { bot_id: filter.id, created_by_user_id: filter.id },
        sort: ['created_at', 'name', 'expires_at', 'last_used_at'],
      }),
      response: pageOf(BotToken),
    }),
    create: operation({
      http: 'POST /bot-tokens',
      summary: 'Create a bot token; its value is in this answer only',
      allow: siteAdmin,
      body: NewBotToken,
      response: CreatedToken,
    }),
    get: operation({
      http: 'GET /bot-tokens/:id',
      summary: 'Read a bot token, without its value',
      allow: siteAdmin,
      response: BotToken,
    }),
    delete: operation({
      http: 'DELETE /bot-tokens/:id',
      summary: 'Revoke a bot token',
      allow: siteAdmin,
      response: z.null(),
    }),
  },
});
