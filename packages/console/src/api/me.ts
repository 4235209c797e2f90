import { type Client, everyItem, unwrap } from '@berth/client';
import * as rules from '@berth/contracts/access/rules';
import type { UserIdentity } from '@berth/contracts/access/identity';
import { ruleTable, type RuleName } from '@berth/client/rule-table';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { berth } from './berth.ts';
import type { Row } from './reads.ts';

export interface Me {
  user: Row<'users'>;
  /** The identity that the rules of the contracts check. */
  identity: UserIdentity;
}

/** The signed-in user with all roles, read again when roles change. */
export const meQuery = queryOptions({
  queryKey: ['users', 'me'],
  queryFn: async (): Promise<Me> => {
    const me = unwrap(await berth.me.get());
    if (!('User' in me)) throw new Error('The session is not of a user');
    const user = me.User;
    const of = { user_id: user.id };
    // The rules let a site admin do everything.
    const [envs, kinds] = user.is_admin ? [[], []] : await Promise.all([rolesInEnvs(of), rolesForKinds(of)]);
    return {
      user,
      identity: {
        kind: 'user',
        id: user.id,
        is_admin: user.is_admin,
        env_roles: Object.fromEntries(envs.map(({ env_id, role }) => [env_id, role])),
        deployment_roles: kinds,
      },
    };
  },
  staleTime: 60_000,
});

const rolesInEnvs = (of: { user_id: string }) =>
  Array.fromAsync(everyItem((after) => berth.envUserPermissions.list({ query: { ...of, after, per_page: 100 } })));
const rolesForKinds = (of: { user_id: string }) =>
  Array.fromAsync(everyItem((after) => berth.deploymentPermissions.list({ query: { ...of, after, per_page: 100 } })));

/** The signed-in user. Inside the shell there always is one. */
export const useMe = (): Me => useSuspenseQuery(meQuery).data;

export interface Permission {
  allowed: boolean;
  /** Who may, in the words of the rule: `an owner of the deployment`. */
  needs: string;
}

interface Asked {
  resource: keyof Client;
  operation: string;
  /** Asks for the part of the operation that needs more, such as a change of the name. */
  stricter?: boolean;
}

// oxlint-disable-next-line import/namespace -- `RuleName` is made of the names of this module
const ruleOf = (name: RuleName): rules.Access => rules[name];

/** Whether the rule of its contract allows an operation on a row with this scope. */
function permissionOf(identity: UserIdentity, asked: Asked, scope: object = {}): Permission {
  const found = ruleTable[asked.resource]?.[asked.operation];
  if (!found) throw new Error(`${asked.resource} has no operation ${asked.operation}`);
  const all: RuleName[] = asked.stricter ? [found.allow, ...found.stricter.map(({ rule }) => rule)] : [found.allow];
  for (const name of all) {
    const rule = ruleOf(name);
    if ('allows' in rule && !rule.allows(identity, scope)) return { allowed: false, needs: rule.says };
  }
  return { allowed: true, needs: '' };
}

/** Whether the rule allows this identity the operation on any row at all. */
function isAllowedSomewhere(identity: UserIdentity, { resource, operation }: Asked): boolean {
  const rule = ruleOf(ruleTable[resource]?.[operation]?.allow ?? 'siteAdmin');
  return 'allows' in rule && rules.mayBeAllowed(rule, identity);
}

export interface May {
  /** Whether the signed-in user may run an operation on a row with this scope. */
  (resource: keyof Client, operation: string, scope?: object, part?: { stricter: boolean }): Permission;
  /** Whether the user may run it on any row at all. */
  somewhere(resource: keyof Client, operation: string): boolean;
}

export function useMay(): May {
  const { identity } = useMe();
  const may = (resource: keyof Client, operation: string, scope?: object, part?: { stricter: boolean }) =>
    permissionOf(identity, { resource, operation, ...part }, scope);
  return Object.assign(may, {
    somewhere: (resource: keyof Client, operation: string) => isAllowedSomewhere(identity, { resource, operation }),
  });
}
