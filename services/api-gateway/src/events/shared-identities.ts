import type { Identity } from '@berth/contracts/access/identity';
import type { Bus } from '@berth/bus/bus';
import { isOutage } from '@berth/contracts/errors';
import { singleFlight } from '@berth/service/waiting/single-flight';
import type { FastifyRequest } from 'fastify';
import type { Authenticate } from '../authentication/authenticate.ts';
import { credentialOf } from '../authentication/credential-of.ts';

/** The identity of a credential with open streams, as auth read it less than a second ago. */
export interface CurrentIdentity extends Disposable {
  /** Null during an outage of auth. Throws if the credential is refused or the outage is too long. */
  now(): Promise<Identity | null>;
}

export interface SharedIdentitiesDeps {
  bus: Pick<Bus, 'identify'>;
  authenticate: Authenticate;
  maxAgeMs?: number;
  outageMs?: number;
}

interface Shared {
  streams: number;
  now(request: FastifyRequest): Promise<Identity | null>;
}

/** Authenticates each credential once for all of its streams. */
export function createSharedIdentities({ bus, authenticate, maxAgeMs = 900, outageMs = 20_000 }: SharedIdentitiesDeps) {
  const open = new Map<string, Shared>();

  function create(): Shared {
    let identity: Identity | null = null;
    let readAt = Number.NEGATIVE_INFINITY;
    let latest: FastifyRequest | undefined;

    const read = singleFlight(async () => {
      if (!latest) return;
      const started = performance.now();
      const { identity_token } = await authenticate(latest, 'api-gateway');
      identity = await bus.identify(identity_token);
      // The age counts from the start of the call, since auth may read the identity at any time after that.
      readAt = started;
    });

    return {
      streams: 0,
      async now(request) {
        if (performance.now() - readAt < maxAgeMs) return identity;
        latest = request;
        try {
          await read();
          return identity;
        } catch (error) {
          if (!isOutage(error) || performance.now() - readAt > outageMs) throw error;
          return null;
        }
      },
    };
  }

  return (request: FastifyRequest): CurrentIdentity => {
    const credential = JSON.stringify(credentialOf(request.headers));
    const shared = open.get(credential) ?? create();
    open.set(credential, shared);
    shared.streams += 1;
    return {
      now: () => shared.now(request),
      [Symbol.dispose]() {
        shared.streams -= 1;
        if (shared.streams === 0) open.delete(credential);
      },
    };
  };
}
