import { z } from 'zod';
import { signedIn } from '../../access/rules.ts';
import { Bot } from './bots.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id } from '../../fields/fields.ts';
import { oneKeyOf } from '../../fields/one-key-of.ts';
import { User } from './users.ts';

/** The identity behind the credential. */
export const Me = oneKeyOf({
  User,
  Bot,
  Deployment: z.strictObject({ id: Id, name: z.string(), env_id: Id }),
});
export type Me = z.infer<typeof Me>;

export const me = resource('me', {
  owner: 'auth',
  singular: 'identity',
  operations: {
    get: operation({
      http: 'GET /auth/me',
      summary: 'Read the identity behind the credential',
      allow: signedIn,
      response: Me,
    }),
    get_as_user: operation({
      http: 'GET /users/me',
      summary: 'Read the identity behind the credential; another path of the same answer',
      allow: signedIn,
      response: Me,
    }),
  },
});
