import type { Bus } from '@berth/bus/bus';
import type { ServiceName } from '@berth/contracts/definition/contract';
import { type Authenticated, identities } from '@berth/contracts/resources/accounts/identities';
import { AppError } from '@berth/contracts/errors';
import type { FastifyRequest } from 'fastify';
import type { Attempts } from '../attempts/attempts.ts';
import { hashOf } from '../attempts/hash-of-credential.ts';
import type { KnownCredentials } from '../attempts/known-credentials.ts';
import { networkOf } from '../attempts/network-of.ts';
import { credentialOf } from './credential-of.ts';
import type { LeasedIdentities } from './leases/leased-identities.ts';

/** Calls auth, unless the identity was just read and the lease of this gateway still holds (docs/decisions/0015). */
export type Authenticate = (
  request: Pick<FastifyRequest, 'headers' | 'id' | 'ip' | 'socket'>,
  audience: ServiceName,
) => Promise<Authenticated>;

export interface AuthenticateDeps {
  bus: Pick<Bus, 'call'>;
  failures: Attempts;
  known: KnownCredentials;
  /** Without this, auth is called on every request. */
  identities?: LeasedIdentities | undefined;
}

/**
 * After too many failed attempts of a network, its unknown credentials are refused without a call to auth. Credentials
 * that were valid before are exempt, so others behind the same address continue to work. A new valid credential waits
 * until the network has attempts again.
 */
export function authenticateBy({ bus, failures, known, identities: leased }: AuthenticateDeps): Authenticate {
  return async (request, audience) => {
    const credential = credentialOf(request.headers);
    // An identity token is for one service, so the key includes the service.
    const key = leased ? `${audience} ${hashOf(credential)}` : '';
    const reused = leased?.find(key);
    if (reused) return reused;

    const network = networkOf(request);
    if (!known.identityOf(credential)) failures.refuseUsedUp(network);
    try {
      const body = { credential, audience };
      const options = { requestId: request.id, network };
      const ticket = leased?.begin() ?? null;
      const authenticated = await bus.call(identities.operations.authenticate, { body }, options);
      known.add(credential, authenticated.identity);
      leased?.keep(key, ticket, authenticated);
      return authenticated;
    } catch (error) {
      if (error instanceof AppError && error.status === 401) known.remove(credential);
      // Other failures, such as an expired token, require the right secret, so they are not guesses.
      if (error instanceof AppError && error.code === 'unauthenticated') failures.count(network);
      throw error;
    }
  };
}
