import { z } from 'zod';
import { membersOfEnv } from '../../access/readers.ts';
import { envAdmin, signedIn, siteAdmin } from '../../access/rules.ts';
import { differsFrom } from '../../definition/differs-from.ts';
import { operation, resource, stricter } from '../../definition/contract.ts';
import { Id, Json, Name, Timestamp } from '../../fields/fields.ts';
import { Impact, ImpactQuery } from '../deployments/impact.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';
import { NodeSelector, Tolerations } from './placement.ts';

export const Env = z.strictObject({
  id: Id,
  created_at: Timestamp,
  name: z.string(),
  node_selector: Json,
  tolerations: Json,
  auto_add_new_users: z.boolean(),
});
export type Env = z.infer<typeof Env>;

export const NewEnv = z.strictObject({ name: Name, auto_add_new_users: z.boolean().default(false) });
export type NewEnv = z.infer<typeof NewEnv>;
export const EnvChanges = z.strictObject({
  name: Name.optional(),
  node_selector: NodeSelector.optional(),
  tolerations: Tolerations.optional(),
  auto_add_new_users: z.boolean().optional(),
});
export type EnvChanges = z.infer<typeof EnvChanges>;

export const envs = resource('envs', {
  owner: 'auth',
  singular: 'env',
  etag: ['name', 'node_selector', 'tolerations', 'auto_add_new_users'],
  state: { row: Env, readers: membersOfEnv, envIn: 'id', consumers: ['cluster-sync', 'tasks'] },
  operations: {
    list: operation({
      http: 'GET /envs',
      summary: 'List envs',
      allow: signedIn,
      query: listQuery({
        filters: { name: filter.ignoringCase, auto_add_new_users: filter.boolean },
        sort: ['created_at', 'name'],
      }),
      response: pageOf(Env),
    }),
    create: operation({
      http: 'POST /envs',
      summary: 'Create an env',
      conflicts: 'another env has the name, or too many envs add new users automatically',
      allow: siteAdmin,
      body: NewEnv,
      response: Env,
    }),
    get: operation({
      http: 'GET /envs/:id',
      summary: 'Read an env',
      allow: signedIn,
      // Called before a cluster or a secret is put into the env, which must exist at that time.
      callers: ['cluster-sync', 'tasks'],
      response: Env,
    }),
    impact: operation({
      http: 'GET /envs/:id/impact',
      summary: 'List the deployments that a change of node_selector or tolerations would reinstall',
      allow: signedIn,
      query: ImpactQuery,
      response: Impact,
    }),
    update: operation({
      http: 'PUT /envs/:id',
      summary: 'Change an env',
      conflicts: 'another env has the name, or too many envs add new users automatically',
      allow: envAdmin,
      stricter: [
        stricter({
          rule: siteAdmin,
          for: 'a change of name or auto_add_new_users',
          when: (env: Pick<Env, 'name' | 'auto_add_new_users'>, { body }: { body: EnvChanges }) =>
            differsFrom(env, body, ['name', 'auto_add_new_users']) ? env : null,
        }),
      ],
      // A changed placement reinstalls the deployments of the env.
      mayChange: ['deployment_tasks'],
      body: EnvChanges,
      response: Env,
    }),
    delete: operation({
      http: 'DELETE /envs/:id',
      summary: 'Delete an env',
      conflicts: 'clusters, secrets or deployment resources are in it',
      allow: siteAdmin,
      changesAlso: ['deployment_permissions', 'env_user_permissions'],
      response: z.null(),
    }),
  },
});
