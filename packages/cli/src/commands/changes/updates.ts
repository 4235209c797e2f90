import type { Kind } from '../../names/kinds.ts';
import type { Fields } from './fields.ts';

export interface Update {
  resource: Kind['resource'];
  brief: string;
  example: string;
  fields: Fields;
}

const active = { field: 'is_active', brief: 'Whether its requests are answered', is: 'boolean' } as const;

/** What `set` knows; the routes have these names. */
export const updates: Readonly<Record<string, Update>> = {
  deployment: {
    resource: 'deployments',
    brief: 'Rename, describe, enable or disable a deployment; deploy and upgrade change chart and inputs',
    example: 'berth set deployment web -e prod --description "The shop"',
    fields: {
      name: { field: 'name', brief: 'Another name' },
      enabled: { field: 'enabled', brief: 'Whether it is installed', is: 'boolean' },
      description: { field: 'description_md', brief: 'Markdown; an empty text removes it', is: 'clearable' },
    },
  },
  env: {
    resource: 'envs',
    brief: 'Change an env; another placement reinstalls its deployments',
    example: 'berth set env prod --add-users',
    fields: {
      name: { field: 'name', brief: 'Another name' },
      addUsers: { field: 'auto_add_new_users', brief: 'Make each new user a member', is: 'boolean' },
      nodeSelector: {
        field: 'node_selector',
        brief: 'Labels of the nodes to use, as JSON; null for any node',
        is: 'json',
      },
      tolerations: { field: 'tolerations', brief: 'Tolerations as pods have them, as JSON; null for none', is: 'json' },
    },
  },
  cluster: {
    resource: 'k8sClusters',
    brief: 'Change a cluster: its env, whether it is used, its ingress',
    example: 'berth set cluster west --no-ignore',
    fields: {
      assign: { field: 'env_id', brief: 'The env that it belongs to', of: 'envs' },
      ignore: { field: 'ignore', brief: 'Whether Berth leaves it alone', is: 'boolean' },
      ingressDomain: { field: 'ingress_domain', brief: 'An empty text removes it', is: 'clearable' },
      ingressClass: { field: 'ingress_class', brief: 'An empty text removes it', is: 'clearable' },
      ingressTlsSecret: { field: 'ingress_tls_secret_name', brief: 'An empty text removes it', is: 'clearable' },
      metricsUrl: { field: 'metrics_url', brief: 'An empty text removes it', is: 'clearable' },
      metricsDatasource: { field: 'metrics_datasource_name', brief: 'An empty text removes it', is: 'clearable' },
    },
  },
  member: {
    resource: 'envUserPermissions',
    brief: 'Change the role of a member of an env',
    example: 'berth set member grace@example.test -e prod --role Admin',
    fields: { role: { field: 'role', brief: 'Admin or User', required: true } },
  },
  user: {
    resource: 'users',
    brief: 'Activate or deactivate a user, or make the user a site admin',
    example: 'berth set user grace@example.test --active',
    fields: { active, admin: { field: 'is_admin', brief: 'Whether the user is a site admin', is: 'boolean' } },
  },
  bot: {
    resource: 'bots',
    brief: 'Rename a bot, or activate or deactivate it',
    example: 'berth set bot deployer --active',
    fields: { name: { field: 'display_name', brief: 'Another name' }, active },
  },
  kind: {
    resource: 'deploymentKinds',
    brief: 'Rename a kind; nothing that runs changes',
    example: 'berth set kind HelloWeb --name HelloWeb',
    fields: { name: { field: 'name', brief: 'The new name', required: true } },
  },
};
