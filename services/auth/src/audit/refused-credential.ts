import type { HandlerContext } from '@berth/bus/rpc/handler';
import { type Credential, identities } from '@berth/contracts/resources/accounts/identities';
import type { RefusedSignIn } from '@berth/db/audit/denied-attempts';
import { AppError } from '@berth/contracts/errors';
import { parseApiToken } from '../tokens/api-token.ts';
import { WrongSecret } from '../tokens/wrong-secret.ts';

/** What the audit log records about a refused credential; null if authentication failed for another reason, such as an outage. */
export function refusedCredential(
  credential: Credential,
  error: unknown,
  { network, requestId }: Pick<HandlerContext, 'network' | 'requestId'>,
): RefusedSignIn | null {
  if (!(error instanceof AppError) || error.status !== 401) return null;
  const { code } = error;
  const kind = 'token' in credential ? 'token' : 'jwt';
  // Only a caller with the right secret gets another code, so the caller did not guess the id.
  const tokenId = 'token' in credential && code !== 'unauthenticated' ? parseApiToken(credential.token)?.id : undefined;
  const guessedId = error instanceof WrongSecret ? error.tokenId : undefined;
  const details = {
    code,
    credential: kind,
    ...(tokenId !== undefined && { token_id: tokenId }),
    ...(guessedId !== undefined && { guessed_token_id: guessedId }),
  };
  const account = tokenId ?? guessedId;
  return { requestId, resource: identities.name, action: 'authenticate', address: network, account, details };
}
