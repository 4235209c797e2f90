import { z } from 'zod';
import { membersOfEnv } from '../../access/readers.ts';
import { envAdmin, signedIn } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, Name, Timestamp, verbatim } from '../../fields/fields.ts';
import { Impact, ImpactQuery } from './impact.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';

/** Without its contents, which can be written but never read. */
export const Secret = z.strictObject({
  id: Id,
  created_at: Timestamp,
  updated_at: Timestamp,
  env_id: Id,
  collection: z.string(),
  name: z.string(),
});
export type Secret = z.infer<typeof Secret>;

const Contents = verbatim(256 * 1024);

export const NewSecret = z.strictObject({ env_id: Id, collection: Name, name: Name, contents: Contents });
export type NewSecret = z.infer<typeof NewSecret>;

export const SecretChanges = z.strictObject({ name: Name.optional(), contents: Contents.optional() });
export type SecretChanges = z.infer<typeof SecretChanges>;

export const secrets = resource('secrets', {
  owner: 'tasks',
  singular: 'secret',
  // `updated_at` represents the contents, which no answer may show, not even hashed.
  etag: ['name', 'updated_at'],
  state: { row: Secret, readers: membersOfEnv, consumers: [] },
  operations: {
    list: operation({
      http: 'GET /secrets',
      summary: 'List secrets, without their contents',
      allow: signedIn,
      query: listQuery({
        filters: { env_id: filter.id, collection: filter.ignoringCase, name: filter.ignoringCase },
        sort: ['created_at', 'updated_at', 'collection', 'name'],
      }),
      response: pageOf(Secret),
    }),
    create: operation({
      http: 'POST /secrets',
      summary: 'Store a secret in an env',
      conflicts: 'the env has a secret of that name in the collection',
      allow: envAdmin,
      body: NewSecret,
      response: Secret,
    }),
    get: operation({
      http: 'GET /secrets/:id',
      summary: 'Read a secret, without its contents',
      allow: signedIn,
      response: Secret,
    }),
    impact: operation({
      http: 'GET /secrets/:id/impact',
      summary: 'List the deployments that a change of the secret would reinstall',
      allow: signedIn,
      query: ImpactQuery,
      response: Impact,
    }),
    update: operation({
      http: 'PUT /secrets/:id',
      summary: 'Rename a secret or replace its contents',
      conflicts: 'the env has a secret of that name in the collection',
      allow: envAdmin,
      mayChange: ['deployment_tasks'],
      body: SecretChanges,
      response: Secret,
    }),
    delete: operation({
      http: 'DELETE /secrets/:id',
      summary: 'Delete a secret that no enabled deployment uses',
      conflicts: 'enabled deployments use it',
      allow: envAdmin,
      response: z.null(),
    }),
  },
});
