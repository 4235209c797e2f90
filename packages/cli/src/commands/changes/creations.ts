import type { Kind } from '../../names/kinds.ts';
import type { Fields } from './fields.ts';

export interface Creation {
  resource: Kind['resource'];
  brief: string;
  example: string;
  /** The field that the argument is, and the kind of the row that it names. */
  named: { field: string; brief: string; of?: Kind['resource'] };
  fields: Fields;
}

const env = { field: 'env_id', brief: 'The env', of: 'envs', required: true } as const;
const kind = { field: 'kind_id', brief: 'The kind of deployments', of: 'deploymentKinds', required: true } as const;

/** What `create` knows besides deployments; the routes have these names. */
export const creations: Readonly<Record<string, Creation>> = {
  env: {
    resource: 'envs',
    brief: 'Create an env',
    example: 'berth create env staging',
    named: { field: 'name', brief: 'name of the env' },
    fields: {
      addUsers: { field: 'auto_add_new_users', brief: 'Make each new user a member', is: 'boolean' },
    },
  },
  bot: {
    resource: 'bots',
    brief: 'Create a bot; berth token create gives it a token',
    example: 'berth create bot deployer',
    named: { field: 'display_name', brief: 'name of the bot' },
    fields: {},
  },
  member: {
    resource: 'envUserPermissions',
    brief: 'Make a user a member of an env',
    example: 'berth create member grace@example.test -e prod --role User',
    named: { field: 'user_id', brief: 'e-mail address or id of the user', of: 'users' },
    fields: { env, role: { field: 'role', brief: 'Admin or User', required: true } },
  },
  role: {
    resource: 'deploymentPermissions',
    brief: 'Give a user a role for the deployments of a kind in an env',
    example: 'berth create role grace@example.test -e prod --kind HelloWeb --role Maintainer',
    named: { field: 'user_id', brief: 'e-mail address or id of the user', of: 'users' },
    fields: { env, kind, role: { field: 'role', brief: 'Owner or Maintainer', required: true } },
  },
  grant: {
    resource: 'clusterRoleGrants',
    brief: 'Let the deployments of a kind in an env act with a ClusterRole',
    example: 'berth create grant pods-reader -e prod --kind HelloWeb --scope Namespace',
    named: { field: 'cluster_role', brief: 'name of the ClusterRole' },
    fields: { env, kind, scope: { field: 'scope', brief: 'Namespace or Cluster', required: true } },
  },
  tagFormat: {
    resource: 'helmTagFormats',
    brief: 'Add a format of chart tags, and parse all tags again',
    example: "berth create tag-format '^(?P<version>[0-9.]+)-(?P<branch>[a-z]+)$'",
    named: { field: 'pattern', brief: 'regular expression' },
    fields: {},
  },
};
