import type { Operation } from '@berth/contracts/definition/contract';
import type { Authenticated } from '@berth/contracts/resources/accounts/identities';
import { AppError } from '@berth/contracts/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KnownCredentials } from '../attempts/known-credentials.ts';
import { networkOf } from '../attempts/network-of.ts';
import type { RequestLimit } from '../limits/request-limit.ts';
import type { Authenticate } from './authenticate.ts';
import { credentialOf } from './credential-of.ts';

export interface RequireCredentialDeps {
  authenticate: Authenticate;
  known: Pick<KnownCredentials, 'identityOf'>;
  requests: RequestLimit;
  /** Requests whose credential was refused, by address. */
  refusals: RequestLimit;
}

interface CredentialRoute {
  config: { needsCredential: true };
  /** Authenticates the request before its body is read. */
  onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

export type RequireCredential = (operation: Pick<Operation, 'owner'>) => CredentialRoute;

/**
 * Authenticates requests and limits them by identity. If the credential is known, requests past the limit are refused without
 * a call to auth. A request with a refused credential has no identity, even if the secret is right, so it is counted by
 * address.
 */
export function requireCredentialBy({
  authenticate,
  known,
  requests,
  refusals,
}: RequireCredentialDeps): RequireCredential {
  const onRequest =
    ({ owner }: Pick<Operation, 'owner'>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const before = known.identityOf(credentialOf(request.headers));
      if (before) {
        // Set early for the log line, in case the request is refused here.
        request.identity = before;
        requests.refuseUsedUp(nameOf(before), reply);
      } else refusals.refuseUsedUp(networkOf(request), reply);
      const started = performance.now();
      const { identity, identity_token } = await authenticate(request, owner).catch((error: unknown) => {
        if (error instanceof AppError && error.status === 401) refusals.take(networkOf(request), reply);
        throw error;
      });
      request.identity = identity;
      request.identityToken = identity_token;
      request.spentMs = performance.now() - started;
      requests.take(nameOf(identity), reply);
      request.payer = { limit: requests, key: nameOf(identity) };
    };
  return (operation) => ({ config: { needsCredential: true }, onRequest: onRequest(operation) });
}

const nameOf = ({ kind, id }: Authenticated['identity']): string => `${kind} ${id}`;
