import { describe, expect, test } from 'vitest';
import type { Identity } from './identity.ts';
import {
  envAdmin,
  lifecycleRole,
  maintainer,
  owner,
  type Rule,
  signedIn,
  siteAdmin,
  taskCreatorOrOwner,
  tokenHolder,
} from './rules.ts';

const env = 'e1';
const kind = 'k1';
const here = { env_id: env, kind_id: kind };

const user = (more: Partial<Extract<Identity, { kind: 'user' }>> = {}): Identity => ({
  kind: 'user',
  id: 'u1',
  is_admin: false,
  env_roles: {},
  deployment_roles: [],
  ...more,
});
const withRole = (role: 'Owner' | 'Maintainer', where = here): Identity =>
  user({ env_roles: { [env]: 'User' }, deployment_roles: [{ ...where, role }] });

const people: Record<string, Identity> = {
  'site admin': user({ is_admin: true }),
  'env admin': user({ env_roles: { [env]: 'Admin' } }),
  'admin of another env': user({ env_roles: { e2: 'Admin' } }),
  'owner of the kind': withRole('Owner'),
  'maintainer of the kind': withRole('Maintainer'),
  'owner of another kind': withRole('Owner', { env_id: env, kind_id: 'k2' }),
  'owner who left the env': user({ deployment_roles: [{ ...here, role: 'Owner' }] }),
  'member of the env': user({ env_roles: { [env]: 'User' } }),
  bot: { kind: 'bot', id: 'b1' },
  'deployment of the env': { kind: 'deployment', id: 'd1', env_id: env },
  'deployment of another env': { kind: 'deployment', id: 'd2', env_id: 'e2' },
};

const allowedBy = <Scope>(rule: Rule<Scope>, scope: Scope): string[] =>
  Object.keys(people).filter((name) => {
    const identity = people[name];
    return identity !== undefined && rule.allows(identity, scope);
  });

const owners = ['site admin', 'env admin', 'owner of the kind'];
const maintainers = [...owners, 'maintainer of the kind', 'bot', 'deployment of the env'];

describe('a rule on identities allows', () => {
  test('anyone signed in', () => {
    expect(allowedBy(signedIn, {})).toEqual(Object.keys(people));
  });

  test('a site admin', () => {
    expect(allowedBy(siteAdmin, {})).toEqual(['site admin']);
  });

  test('an admin of the env', () => {
    expect(allowedBy(envAdmin, here)).toEqual(['site admin', 'env admin']);
  });

  test('an owner of the deployment', () => {
    expect(allowedBy(owner, here)).toEqual(owners);
  });

  test('a maintainer of the deployment', () => {
    expect(allowedBy(maintainer, here).sort()).toEqual(maintainers.sort());
  });

  test('a maintainer, if there is no env', () => {
    expect(allowedBy(maintainer, { env_id: null, kind_id: kind })).toEqual(['site admin', 'bot']);
  });

  test('the holder of a token', () => {
    expect(allowedBy(tokenHolder, { user_id: 'u2' })).toEqual(['site admin']);
    expect(tokenHolder.allows(user(), { user_id: 'u1' })).toBe(true);
    expect(tokenHolder.allows({ kind: 'bot', id: 'u1' }, { user_id: 'u1' })).toBe(false);
  });

  test('the creator of a task, or an owner', () => {
    const task = { ...here, acting_user_id: null, acting_deployment_id: null, requester: null };
    const byBot = { ...task, requester: { kind: 'bot', id: 'b1' } } as const;

    expect(allowedBy(taskCreatorOrOwner, task)).toEqual(owners);
    expect(taskCreatorOrOwner.allows(user(), { ...task, acting_user_id: 'u1' })).toBe(true);
    expect(allowedBy(taskCreatorOrOwner, { ...task, acting_deployment_id: 'd1' })).toContain('deployment of the env');
    expect(taskCreatorOrOwner.allows({ kind: 'bot', id: 'b1' }, byBot)).toBe(true);
    expect(taskCreatorOrOwner.allows({ kind: 'bot', id: 'b2' }, byBot)).toBe(false);
    expect(taskCreatorOrOwner.allows({ kind: 'bot', id: 'u1' }, { ...task, acting_user_id: 'u1' })).toBe(false);
  });

  test('the role that a resource type names', () => {
    const resource = { ...here, allowed_role: 'Owner', deployment_id: null } as const;
    expect(allowedBy(lifecycleRole, resource)).toEqual(owners);
    expect(allowedBy(lifecycleRole, { ...resource, deployment_id: 'd1' })).toEqual([
      ...owners,
      'deployment of the env',
    ]);
    expect(allowedBy(lifecycleRole, { ...resource, allowed_role: 'Maintainer' }).sort()).toEqual(maintainers.sort());
  });
});
