import type { Bus } from '@berth/shared/bus/bus';
import { type Authenticated, identities } from '@berth/shared/contracts/identities';
import type { FastifyRequest } from 'fastify';
import { credentialOf } from './credential-of.ts';

/** Asks auth on every request, without a cache: a deactivated user fails on the next one. */
export type Authenticate = (request: Pick<FastifyRequest, 'headers' | 'id'>) => Promise<Authenticated>;

export const authenticateBy =
  ({ bus }: { bus: Pick<Bus, 'call'> }): Authenticate =>
  async ({ headers, id }) => {
    const body = credentialOf(headers);
    return bus.call(identities.operations.authenticate, { body }, { requestId: id });
  };
