import { z } from 'zod';
import { everybody } from '../../access/readers.ts';
import { signedIn, siteAdmin } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, Name, Timestamp } from '../../fields/fields.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';

export const Bot = z.strictObject({
  id: Id,
  created_at: Timestamp,
  display_name: z.string(),
  is_active: z.boolean(),
});
export type Bot = z.infer<typeof Bot>;

export const NewBot = z.strictObject({ display_name: Name });
export type NewBot = z.infer<typeof NewBot>;

export const BotChanges = z.strictObject({ display_name: Name.optional(), is_active: z.boolean().optional() });
export type BotChanges = z.infer<typeof BotChanges>;

export const bots = resource('bots', {
  owner: 'auth',
  singular: 'bot',
  etag: ['display_name', 'is_active'],
  state: { row: Bot, readers: everybody, consumers: [] },
  operations: {
    list: operation({
      http: 'GET /bots',
      summary: 'List bots',
      allow: signedIn,
      query: listQuery({
        filters: { display_name: filter.containing },
        sort: ['created_at', 'display_name', 'is_active'],
      }),
      response: pageOf(Bot),
    }),
    create: operation({ http: 'POST /bots', summary: 'Create a bot', allow: siteAdmin, body: NewBot, response: Bot }),
    get: operation({ http: 'GET /bots/:id', summary: 'Read a bot', allow: signedIn, response: Bot }),
    update: operation({
      http: 'PUT /bots/:id',
      summary: 'Change a bot',
      allow: siteAdmin,
      body: BotChanges,
      response: Bot,
    }),
    delete: operation({
      http: 'DELETE /bots/:id',
      summary: 'Delete a bot and revoke its tokens',
      allow: siteAdmin,
      changesAlso: ['bot_tokens'],
      response: z.null(),
    }),
  },
});
