import { implement } from '@berth/bus/rpc/implement';
import { identities } from '@berth/contracts/resources/accounts/identities';
import type { DeniedAttempts } from '@berth/db/audit/denied-attempts';
import type { Database } from '@berth/db/database';
import { refusedCredential } from '../audit/refused-credential.ts';
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
  denied: Pick<DeniedAttempts, 'noteSignIn'>;
  ownUrl: string;
}

export const identityHandlers = (deps: IdentityHandlersDeps) => {
  const { db, keyRing, tokenUse, callingDeployments, denied, ownUrl } = deps;
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
    authenticate: async ({ body: { credential, audience } }, context) => {
      try {
        return await authenticate(credential, audience);
      } catch (error) {
        // Audited here, since the operation that the credential was for never sees the request.
        const refused = refusedCredential(credential, error, context);
        if (refused) denied.noteSignIn(refused);
        throw error;
      }
    },

    current: ({ body }) => current(body),
  });
};
