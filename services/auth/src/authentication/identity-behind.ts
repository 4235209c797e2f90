import type { DeploymentIdentity } from '@berth/contracts/access/identity';
import type { PackedIdentity, PackedUser } from '@berth/contracts/access/packed-identity';
import type { CallingDeployment } from '@berth/contracts/resources/deployments/deployment-state';
import { AppError } from '@berth/contracts/errors';
import { envOf } from '../tokens/env-of.ts';
import type { PresentedToken } from '../tokens/api-token.ts';
import type { JwtSubject } from '../tokens/jwt-claims.ts';
import { notAuthenticated } from '../tokens/jwt-verifier.ts';
import { matchesHash } from '../tokens/matches-hash.ts';
import { WrongSecret } from '../tokens/wrong-secret.ts';
import type { SessionRow, TokenRow } from './credential-repository.ts';

const revoked = (message: string) => new AppError('token_revoked', message);
const inactive = (holder: string) => new AppError('user_inactive', `The ${holder} is not active`);

/** Explains a refusal only to callers that have the secret; to all others every token is unknown. */
export function identityBehindToken({ id, secretHash }: PresentedToken, row: TokenRow | null): PackedIdentity {
  const isRight = matchesHash(secretHash, row?.secret_hash);
  if (row === null) throw notAuthenticated();
  if (!isRight) throw new WrongSecret(id);
  if (row.is_revoked) throw revoked('The token has been revoked');
  if (row.is_expired) throw new AppError('token_expired', 'The token has expired');
  if (!row.is_active) throw inactive(row.holder);
  return row.holder === 'bot' ? { kind: 'bot', id: row.holder_id } : userIdentity(row.holder_id, row);
}

/** Sessions have no rows: a deactivation raises the epoch of the user, which ends all of them. */
export function identityBehindSession(
  { sessionEpoch }: Extract<JwtSubject, { kind: 'session' }>,
  row: SessionRow | null,
): PackedUser {
  if (row === null) throw notAuthenticated();
  if (!row.is_active) throw inactive('user');
  if (row.session_epoch !== sessionEpoch)
    throw revoked('The session ended when the user was deactivated; log in again');
  return userIdentity(row.id, row);
}

/** A deployment that runs in another env has other credentials there; the old ones do not follow it. */
export function identityBehindDeployment(
  { envId }: Extract<JwtSubject, { kind: 'deployment' }>,
  row: Omit<CallingDeployment, 'name'> | null,
): DeploymentIdentity {
  if (row === null) throw revoked('The deployment has been deleted');
  if (!row.enabled) throw revoked('The deployment is disabled');
  if (envOf(row) !== envId) throw revoked('The deployment has moved to another env');
  return { kind: 'deployment', id: row.id, env_id: envId };
}

type Roles = Pick<PackedUser, 'is_admin' | 'env_roles' | 'deployment_roles'>;

export const userIdentity = (id: string, { is_admin, env_roles, deployment_roles }: Roles): PackedUser => ({
  kind: 'user',
  id,
  is_admin,
  env_roles,
  deployment_roles,
});
