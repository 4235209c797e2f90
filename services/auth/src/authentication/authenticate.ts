import type { PackedIdentity } from '@berth/shared/access/packed-identity';
import type { ServiceName } from '@berth/shared/contracts/contract';
import type { Authenticated, Credential } from '@berth/shared/contracts/resources/identities';
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
 * On every HTTP request: one statement, so that a deactivated user or a revoked token fails on the next one; for a
 * deployment a question to `tasks` instead, with the same effect.
 */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  return async (credential, audience) => {
    const identity =
      'token' in credential ? await byApiToken(credential.token, deps) : await byJwt(credential.jwt, deps);
    const { kind, id } = identity;
    return { identity: { kind, id }, identity_token: await deps.signedIdentity(identity, audience) };
  };
}

async function byApiToken(text: string, { credentialRepository, tokenUse }: AuthenticateDeps): Promise<PackedIdentity> {
  const presented = parseApiToken(text);
  if (presented === null) throw notAuthenticated();

  const row = await credentialRepository.findToken(presented.id);
  const identity = identityBehindToken(presented, row);
  if (row?.use_is_news) tokenUse.note(row.holder, presented.id);
  return identity.kind === 'deployment' ? identity : { ...identity, token_id: presented.id };
}

async function byJwt(jwt: string, deps: AuthenticateDeps): Promise<PackedIdentity> {
  const subject = await deps.verifyJwt(jwt);
  return subject.kind === 'session'
    ? identityBehindSession(subject, await deps.credentialRepository.findUser(subject.userId))
    : identityBehindDeployment(subject, await deps.callingDeployments.find(subject.deploymentId));
}
