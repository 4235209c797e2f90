import { z } from 'zod';
import { DeploymentRole, EnvRole } from './identity.ts';

/**
 * The most roles of each sort (env roles, deployment permissions) that one user can have. They travel with every call,
 * so writers of roles refuse more: a user with more roles than a message holds could not make any request.
 */
export const maxRolesOfUser = 5_000;

/** Ids of 16 bytes each, one after the other, as base64. */
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
 * Without it: 98 deployment roles or 260 env roles made an identity larger than a header may be, and each request answered 401.
 * An identity as it is signed and sent: an id takes 22 characters instead of 39, and an env role only its id. A site admin
 * has none, because no rule reads them. Postgres packs them, so that auth does no work per role.
 */
export const PackedIdentity = z.discriminatedUnion('kind', [
  PackedUser,
  z.strictObject({ kind: z.literal('bot'), id: z.uuid(), token_id: z.uuid().optional() }),
  z.strictObject({ kind: z.literal('deployment'), id: z.uuid(), env_id: z.uuid() }),
]);
export type PackedIdentity = z.infer<typeof PackedIdentity>;
