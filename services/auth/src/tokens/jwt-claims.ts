import { z } from 'zod';

/** Each kind of JWT has its own `typ`, so that one is not accepted as another. Only deployments accept a `call` token. */
export const jwtTypes = { session: 'session+jwt', deployment: 'deployment+jwt', call: 'call+jwt' } as const;

const registered = {
  iss: z.string(),
  aud: z.string(),
  iat: z.number(),
  nbf: z.number(),
  exp: z.number(),
  jti: z.string(),
};

export const SessionClaims = z.strictObject({
  ...registered,
  identity: z.strictObject({ User: z.uuid() }),
  /** The user's epoch at login; a later deactivation raises the stored one. */
  session_epoch: z.number().int(),
});

export const DeploymentClaims = z.strictObject({
  ...registered,
  identity: z.strictObject({ Deployment: z.uuid() }),
  env_id: z.uuid(),
});

/** The content of a verified JWT. */
export type JwtSubject =
  | { kind: 'session'; userId: string; sessionEpoch: number }
  | { kind: 'deployment'; deploymentId: string; envId: string };
