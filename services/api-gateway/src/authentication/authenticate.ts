import type { Bus } from '@berth/shared/bus/bus';
import type { ServiceName } from '@berth/shared/contracts/contract';
import { type Authenticated, identities } from '@berth/shared/contracts/resources/identities';
import { AppError } from '@berth/shared/errors';
import type { FastifyRequest } from 'fastify';
import type { Attempts } from '../attempts/attempts.ts';
import { KnownCredentials } from '../attempts/known-credentials.ts';
import { networkOf } from '../attempts/network-of.ts';
import { credentialOf } from './credential-of.ts';

/** Calls auth on every request, without a cache: a deactivated user fails on the next one. */
export type Authenticate = (
  request: Pick<FastifyRequest, 'headers' | 'id' | 'ip' | 'socket'>,
  /** The service to call next. */
  audience: ServiceName,
) => Promise<Authenticated>;

export interface AuthenticateDeps {
  bus: Pick<Bus, 'call'>;
  /** Credentials that were not valid, by network. */
  failures: Attempts;
}

/**
 * A network that has presented too many credentials that are none is not asked about any more, except for credentials
 * that were valid before: others behind the same address go on with their work. A credential that is valid but new waits
 * until the network may try again.
 */
export function authenticateBy({ bus, failures }: AuthenticateDeps): Authenticate {
  const known = new KnownCredentials();

  return async (request, audience) => {
    const credential = credentialOf(request.headers);
    const network = networkOf(request);
    if (!known.has(credential)) failures.refuseUsedUp(network);
    try {
      const body = { credential, audience };
      const authenticated = await bus.call(identities.operations.authenticate, { body }, { requestId: request.id });
      known.add(credential);
      return authenticated;
    } catch (error) {
      if (error instanceof AppError && error.status === 401) known.remove(credential);
      // The other ways to fail, such as an expired token, need the secret: they are no guesses.
      if (error instanceof AppError && error.code === 'unauthenticated') failures.count(network);
      throw error;
    }
  };
}
