import { Bug } from '@berth/contracts/errors';
import { EnvRole, type Identity, type UserIdentity } from '@berth/contracts/access/identity';
import type { PackedIdentity, PackedUser } from '@berth/contracts/access/packed-identity';

/** Kept apart from the contract, which browsers also load: only services pack and unpack, and they need `Buffer`. */
export function packIdentity(identity: Identity): PackedIdentity {
  if (identity.kind !== 'user') return identity;
  const { kind, id, is_admin, env_roles, deployment_roles, token_id } = identity;
  const token = token_id === undefined ? {} : { token_id };
  if (is_admin) return { kind, id, is_admin, env_roles: {}, deployment_roles: [], ...token };

  const envsOf = (role: EnvRole) => Object.keys(env_roles).filter((envId) => env_roles[envId] === role);
  const byRole = EnvRole.options.map((role) => [role, envsOf(role)] as const).filter(([, envs]) => envs.length > 0);
  const byKind = Map.groupBy(deployment_roles, ({ kind_id, role }) => `${kind_id} ${role}`);
  return {
    kind,
    id,
    is_admin,
    env_roles: Object.fromEntries(byRole.map(([role, envs]) => [role, packIds(envs)])),
    deployment_roles: [...byKind.values()].flatMap(packedRole),
    ...token,
  };
}

/** The user's roles for one kind, all of the same sort. */
function packedRole(held: UserIdentity['deployment_roles']): PackedUser['deployment_roles'] {
  const [first] = held;
  return first ? [[first.kind_id, first.role, packIds(held.map(({ env_id }) => env_id))]] : [];
}

export function unpackIdentity(packed: PackedIdentity): Identity {
  if (packed.kind !== 'user') return packed;
  const { env_roles, deployment_roles } = packed;
  const roles: UserIdentity['env_roles'] = {};
  for (const role of EnvRole.options) for (const envId of unpackIds(env_roles[role] ?? '')) roles[envId] = role;
  return {
    ...packed,
    env_roles: roles,
    deployment_roles: deployment_roles.flatMap(([kind_id, role, envs]) =>
      unpackIds(envs).map((env_id) => ({ env_id, kind_id, role })),
    ),
  };
}

const bytesOfId = 16;

const packIds = (ids: readonly string[]): string =>
  Buffer.from(ids.map((id) => id.replaceAll('-', '')).join(''), 'hex').toString('base64');

function unpackIds(packed: string): string[] {
  const bytes = Buffer.from(packed, 'base64');
  if (bytes.length % bytesOfId !== 0) throw new Bug('packed ids have 16 bytes each');
  const hex = bytes.toString('hex');
  return Array.from({ length: bytes.length / bytesOfId }, (_, n) => {
    const id = hex.slice(n * 2 * bytesOfId, (n + 1) * 2 * bytesOfId);
    return `${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`;
  });
}
