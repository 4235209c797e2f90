import { z } from 'zod';
import { everybody } from '../../access/readers.ts';
import { signedIn, siteAdmin } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, Timestamp } from '../../fields/fields.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';

export const User = z.strictObject({
  id: Id,
  created_at: Timestamp,
  display_name: z.string(),
  /** Null if the caller may not see it. */
  email: z.string().nullable(),
  is_admin: z.boolean(),
  is_active: z.boolean(),
});
export type User = z.infer<typeof User>;

export const UserChanges = z.strictObject({ is_admin: z.boolean().optional(), is_active: z.boolean().optional() });
export type UserChanges = z.infer<typeof UserChanges>;

export const users = resource('users', {
  owner: 'auth',
  singular: 'user',
  etag: ['is_admin', 'is_active'],
  state: { row: User, readers: everybody, consumers: [] },
  operations: {
    list: operation({
      http: 'GET /users',
      summary: 'List users',
      allow: signedIn,
      query: listQuery({
        filters: { display_name: filter.containing, email: filter.containing, is_active: filter.boolean },
        // Not by e-mail: the order would leak addresses that the caller may not read.
        sort: ['created_at', 'display_name', 'is_admin', 'is_active'],
      }),
      response: pageOf(User),
    }),
    get: operation({ http: 'GET /users/:id', summary: 'Read a user', allow: signedIn, response: User }),
    update: operation({
      http: 'PUT /users/:id',
      summary: 'Activate or deactivate a user, or change the global role',
      conflicts: 'it would leave no active site admin',
      allow: siteAdmin,
      body: UserChanges,
      response: User,
    }),
  },
});
