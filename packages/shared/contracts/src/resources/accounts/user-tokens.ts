import { z } from 'zod';
import { holdersOfToken } from '../../access/readers.ts';
import { signedIn, tokenHolder } from '../../access/rules.ts';
import { CreatedToken, newTokenFields, tokenFields } from './api-token.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, Timestamp } from '../../fields/fields.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';

export const UserToken = z.strictObject({ id: Id, user_id: Id, created_at: Timestamp, ...tokenFields });
export type UserToken = z.infer<typeof UserToken>;

/** `user_id: null` means the caller. */
export const NewUserToken = z.strictObject({ user_id: Id.nullable(), ...newTokenFields });
export type NewUserToken = z.infer<typeof NewUserToken>;

/** Tokens of one user that are not revoked, expired ones included. */
export const mostUserTokens = 100;
/** The same with those that were revoked within a day, whose rows stay. */
export const mostUserTokensADay = 1_000;

export const userTokens = resource('user_tokens', {
  owner: 'auth',
  singular: 'user token',
  // Who may see a token follows from its user.
  state: { row: UserToken, readers: holdersOfToken, consumers: [], event: ['user_id'] },
  operations: {
    list: operation({
      http: 'GET /user-tokens',
      summary: 'List the user tokens that the caller may see',
      allow: signedIn,
      query: listQuery({
        filters: { user_id: filter.id },
        sort: ['created_at', 'name', 'expires_at', 'last_used_at'],
      }),
      response: pageOf(UserToken),
    }),
    create: operation({
      http: 'POST /user-tokens',
      summary: 'Create a user token; its value is in this answer only',
      allow: tokenHolder,
      body: NewUserToken,
      conflicts: `the user has ${mostUserTokens} tokens, or ${mostUserTokensADay} with those revoked within a day`,
      response: CreatedToken,
    }),
    get: operation({
      http: 'GET /user-tokens/:id',
      summary: 'Read a user token, without its value',
      allow: signedIn,
      response: UserToken,
    }),
    delete: operation({
      http: 'DELETE /user-tokens/:id',
      summary: 'Revoke a user token',
      allow: tokenHolder,
      response: z.null(),
    }),
  },
});
