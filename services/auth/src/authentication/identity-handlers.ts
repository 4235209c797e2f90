import { implement } from '@berth/shared/bus/rpc/implement';
import { identities } from '@berth/shared/contracts/resources/identities';
import type { Database } from '@berth/shared/db/database';
import { createBotRepository } from '../bots/bot-repository.ts';
import type { CallingDeployments } from '../tokens/calling-deployments.ts';
import type { KeyRing } from '../signing-keys/key-ring.ts';
import { createJwtVerifier } from '../tokens/jwt-verifier.ts';
import { createAuthenticate } from './authenticate.ts';
import { createCredentialRepository } from './credential-repository.ts';
import { createCurrentIdentity } from './current-identity.ts';
import { createIdentityTokens } from './identity-tokens.ts';
import type { TokenUse } from './token-use.ts';

export interface IdentityHandlersDeps {
  db: Database;
  keyRing: KeyRing;
  tokenUse: Pick<TokenUse, 'note'>;
  callingDeployments: CallingDeployments;
  ownUrl: string;
}

export const identityHandlers = ({ db, keyRing, tokenUse, callingDeployments, ownUrl }: IdentityHandlersDeps) => {
  const credentialRepository = createCredentialRepository(db);
  const authenticate = createAuthenticate({
    credentialRepository,
    callingDeployments,
    verifyJwt: createJwtVerifier({ keyRing, ownUrl }),
    signedIdentity: createIdentityTokens(keyRing),
    tokenUse,
  });

  const current = createCurrentIdentity({ credentialRepository, botRepository: createBotRepository(db) });

  return implement(identities, {
    authenticate: ({ body: { credential, audience } }) => authenticate(credential, audience),

    current: ({ body }) => current(body),
  });
};
