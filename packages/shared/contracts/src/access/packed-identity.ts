import { z } from 'zod';
import { DeploymentRole, EnvRole } from './identity.ts';

/**
 * The most roles of each sort (env roles, deployment permissions) that one user can have. They are sent with every call, so
 * further roles are refused: a user whose roles exceed a message could make no request.
 */
export const maxRolesOfUser = 5_000;

/** Ids of 16 bytes each, concatenated, as base64. */
const PackedIds = z.string();

export const PackedUser = z.strictObject({
  kind: z.literal('user'),
  id: z.uuid(),
  is_admin: z.boolean(),
  /** Envs by the role that the user has there. */
  env_roles: z.partialRecord(EnvRole, PackedIds),
  /** Kind, role, and the envs where the user has it. */
  deployment_roles: z.array(z.tuple([z.uuid(), DeploymentRole, PackedIds])),
  token_id: z.uuid().optional(),
});
export type PackedUser = z.infer<typeof PackedUser>;

/**
 * An identity as it is signed and sent. Packed, an id takes 22 characters instead of 39; without packing, 98 deployment roles or
 * 260 env roles would exceed the limit of a header and every request would get 401. Site admins have no roles in it, since no
 * rule reads them. Postgres packs the roles, so `auth` does no work per role.
 */
export const PackedIdentity = z.discriminatedUnion('kind', [
  PackedUser,
  z.strictObject({ kind: z.literal('bot'), id: z.uuid(), token_id: z.uuid().optional() }),
  z.strictObject({ kind: z.literal('deployment'), id: z.uuid(), env_id: z.uuid() }),
]);
export type PackedIdentity = z.infer<typeof PackedIdentity>;
