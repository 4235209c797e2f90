import type { Identity, UserIdentity } from '@berth/contracts/access/identity';
import { resources } from '@berth/contracts/resources/index';
import { expect, test } from 'vitest';
import { eventsFor } from './events-for.ts';

const [envA, envB] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
const [me, other] = ['aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb'] as const;
const kind = '33333333-3333-4333-8333-333333333333';

/** Who sees the rows of each table (Specification, "Visibility"). */
const visibleTo = {
  everybody: ['users', 'bots', 'helm_charts', 'helm_registries', 'deployment_kinds', 'helm_tag_formats'],
  'everyone in the env': [
    'deployments',
    'deployment_tasks',
    'deployment_resources',
    'secrets',
    'env_user_permissions',
    'deployment_permissions',
    'envs',
    'k8s_resources',
    'cluster_role_grants',
    // Without an env: site admins and bots.
    'k8s_clusters',
  ],
  'everyone in the env, or everybody if it has none': ['deployment_resource_types'],
  'their user': ['user_tokens'],
  'site admins': ['bot_tokens'],
} as const;

/** Users with each combination of roles, including deployment roles without membership; a bot; deployments. */
function* identities(): Iterable<Identity> {
  const roles = [undefined, 'User', 'Admin'] as const;
  for (const is_admin of [false, true])
    for (const inA of roles)
      for (const inB of roles)
        for (const env_id of [null, envA, envB]) {
          const env_roles: UserIdentity['env_roles'] = {};
          if (inA) env_roles[envA] = inA;
          if (inB) env_roles[envB] = inB;
          const deployment_roles = env_id === null ? [] : [{ env_id, kind_id: kind, role: 'Owner' as const }];
          yield { kind: 'user', id: me, is_admin, env_roles, deployment_roles };
        }
  yield { kind: 'bot', id: me };
  for (const env_id of [envA, envB]) yield { kind: 'deployment', id: me, env_id };
}

interface Row {
  env_id: string | null;
  row: { user_id: string };
}

function isVisible(table: string, identity: Identity, { env_id, row }: Row): boolean {
  const isIn = (tables: readonly string[]) => tables.includes(table);
  const isSiteAdmin = identity.kind === 'user' && identity.is_admin;
  const seesEnv =
    isSiteAdmin ||
    identity.kind === 'bot' ||
    (identity.kind === 'deployment' ? env_id === identity.env_id : env_id !== null && env_id in identity.env_roles);
  if (isIn(visibleTo.everybody)) return true;
  if (isIn(visibleTo['everyone in the env'])) return seesEnv;
  if (isIn(visibleTo['everyone in the env, or everybody if it has none'])) return env_id === null || seesEnv;
  if (isIn(visibleTo['their user'])) return isSiteAdmin || (identity.kind === 'user' && row.user_id === me);
  if (isIn(visibleTo['site admins'])) return isSiteAdmin;
  throw new Error(`the specification does not say who sees ${table}`);
}

const published = resources.filter(({ state }) => state).map(({ name }) => name);

test('the specification names the readers of each table with events', () => {
  expect(Object.values(visibleTo).flat().toSorted()).toEqual(published.toSorted());
});

test.for(published)('events of %s reach exactly those who may read the row', (table) => {
  const isFor = eventsFor(resources, undefined, undefined);
  for (const identity of identities())
    for (const env_id of [envA, envB, null])
      for (const row of [{ user_id: me }, { user_id: other }]) {
        const event = { resource: table, id: other, version: 1, operation: 'UPDATE', env_id, row } as const;
        const wanted = isVisible(table, identity, event);
        expect({ identity, env_id, row, sees: isFor(identity, { event }) }).toEqual({
          identity,
          env_id,
          row,
          sees: wanted,
        });
      }
});
