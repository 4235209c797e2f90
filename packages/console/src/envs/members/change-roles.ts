import { unwrap } from '@berth/client';
import { berth } from '../../api/berth.ts';
import { queries } from '../../api/queries.ts';
import type { Row } from '../../api/reads.ts';

export type Member = Row<'envUserPermissions'>;
export type KindRole = Row<'deploymentPermissions'>;
export type RoleForKind = KindRole['role'];

/** Changes the role of a member. Resolves once the new role is shown. */
export async function changeEnvRole(member: Member, role: Member['role']): Promise<void> {
  unwrap(await berth.envUserPermissions.update({ id: member.id, body: { role } }));
  await queries.invalidateQueries({ queryKey: ['env_user_permissions'] });
}

interface KindRoleChange {
  of: Pick<KindRole, 'env_id' | 'user_id' | 'kind_id'>;
  from: KindRole | undefined;
  to: RoleForKind | null;
}

/** Changes the role of a person for a kind. There is one for each kind, so the old one is deleted first. */
export async function changeKindRole({ of, from, to }: KindRoleChange): Promise<void> {
  try {
    if (from !== undefined) unwrap(await berth.deploymentPermissions.delete({ id: from.id }));
    if (to !== null) unwrap(await berth.deploymentPermissions.create({ body: { ...of, role: to } }));
  } finally {
    // Also if only the first step succeeded, so that the roles are shown as they are.
    await queries.invalidateQueries({ queryKey: ['deployment_permissions'] });
  }
}

/** Removes a member together with the roles for kinds. */
export async function removeMember(member: Member): Promise<void> {
  unwrap(await berth.envUserPermissions.delete({ id: member.id }));
}

/** Undoes a removal. */
export async function addAgain({ env_id, user_id, role }: Member, roles: readonly KindRole[]): Promise<void> {
  unwrap(await berth.envUserPermissions.create({ body: { env_id, user_id, role } }));
  for (const { kind_id, role: held } of roles) {
    unwrap(await berth.deploymentPermissions.create({ body: { env_id, user_id, kind_id, role: held } }));
  }
}
