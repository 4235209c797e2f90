import { z } from 'zod';

export const EnvRole = z.enum(['Admin', 'User']);
export type EnvRole = z.infer<typeof EnvRole>;

export const DeploymentRole = z.enum(['Owner', 'Maintainer']);
export type DeploymentRole = z.infer<typeof DeploymentRole>;

export const UserIdentity = z.strictObject({
  kind: z.literal('user'),
  id: z.uuid(),
  is_admin: z.boolean(),
  /** The user's role in each env, by env id. */
  env_roles: z.record(z.uuid(), EnvRole),
  deployment_roles: z.array(z.strictObject({ env_id: z.uuid(), kind_id: z.uuid(), role: DeploymentRole })),
  /** The API token of this request; null for a session. */
  token_id: z.uuid().optional(),
});
export type UserIdentity = z.infer<typeof UserIdentity>;

export const BotIdentity = z.strictObject({ kind: z.literal('bot'), id: z.uuid(), token_id: z.uuid().optional() });
export type BotIdentity = z.infer<typeof BotIdentity>;

export const DeploymentIdentity = z.strictObject({ kind: z.literal('deployment'), id: z.uuid(), env_id: z.uuid() });
export type DeploymentIdentity = z.infer<typeof DeploymentIdentity>;

/** The caller of this request, as auth read it. */
export const Identity = z.discriminatedUnion('kind', [UserIdentity, BotIdentity, DeploymentIdentity]);
export type Identity = z.infer<typeof Identity>;
