import type { Bus } from '@berth/shared/bus/bus';
import { identities } from '@berth/shared/contracts/identities';
import type { FastifyRequest } from 'fastify';
import { credentialOf } from './credential-of.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The identity as auth signed it for this request; undefined where none is needed. */
    identityToken: string | undefined;
    /** `performance.now()` when the request came in. */
    startedAt: number;
  }
}

/** Asks auth on every request, without a cache: a deactivated user fails on the next one. */
export type Authenticate = (request: FastifyRequest) => Promise<string>;

export const authenticateBy =
  ({ bus }: { bus: Pick<Bus, 'call'> }): Authenticate =>
  async ({ headers, id }) => {
    const body = credentialOf(headers);
    const { identity_token } = await bus.call(identities.operations.authenticate, { body }, { requestId: id });
    return identity_token;
  };
