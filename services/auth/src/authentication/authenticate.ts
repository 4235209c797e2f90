import type { PackedIdentity } from '@berth/contracts/access/packed-identity';
import type { ServiceName } from '@berth/contracts/definition/contract';
import { longestLeaseMs } from '@berth/contracts/resources/accounts/identity-leases';
import type { Authenticated, Credential } from '@berth/contracts/resources/accounts/identities';
import type { CallingDeployments } from '../tokens/calling-deployments.ts';
import { parseApiToken } from '../tokens/api-token.ts';
import { notAuthenticated, type VerifyJwt } from '../tokens/jwt-verifier.ts';
import type { CredentialRepository } from './credential-repository.ts';
import { identityBehindDeployment, identityBehindSession, identityBehindToken } from './identity-behind.ts';
import type { SignedIdentity } from './identity-tokens.ts';
import type { TokenUse } from './token-use.ts';

export interface AuthenticateDeps {
  credentialRepository: CredentialRepository;
  callingDeployments: CallingDeployments;
  verifyJwt: VerifyJwt;
  signedIdentity: SignedIdentity;
  tokenUse: Pick<TokenUse, 'note'>;
}

export type Authenticate = (credential: Credential, audience: ServiceName) => Promise<Authenticated>;

/**
 * Runs on every HTTP request, so that a deactivated user or a revoked token fails on the next one: one statement for users
 * and bots, a call to `tasks` for deployments.
 */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  return async (credential, audience) => {
    const { identity, reusableMs } =
      'token' in credential ? await byApiToken(credential.token, deps) : await byJwt(credential.jwt, deps);
    const { kind, id } = identity;
    return {
      identity: { kind, id },
      identity_token: await deps.signedIdentity(identity, audience),
      reusable_ms: Math.max(0, Math.min(longestLeaseMs, Math.floor(reusableMs))),
    };
  };
}

interface Behind {
  identity: PackedIdentity;
  /** How long a gateway may reuse the identity: not past the credential's expiry; 0 for not at all. */
  reusableMs: number;
}

async function byApiToken(text: string, { credentialRepository, tokenUse }: AuthenticateDeps): Promise<Behind> {
  const presented = parseApiToken(text);
  if (presented === null) throw notAuthenticated();

  const row = await credentialRepository.findToken(presented.id);
  const identity = identityBehindToken(presented, row);
  if (row?.use_is_due) tokenUse.note(row.holder, presented.id);
  const reusableMs = row?.expires_in_ms ?? Number.POSITIVE_INFINITY;
  return { identity: identity.kind === 'deployment' ? identity : { ...identity, token_id: presented.id }, reusableMs };
}

async function byJwt(jwt: string, deps: AuthenticateDeps): Promise<Behind> {
  const { subject, expiresInMs } = await deps.verifyJwt(jwt);
  if (subject.kind === 'session') {
    const row = await deps.credentialRepository.findUser(subject.userId);
    return { identity: identityBehindSession(subject, row), reusableMs: expiresInMs };
  }
  // `tasks` changes deployments without making gateways forget them.
  const deployment = await deps.callingDeployments.find(subject.deploymentId);
  return { identity: identityBehindDeployment(subject, deployment), reusableMs: 0 };
}
