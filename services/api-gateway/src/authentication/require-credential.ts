import type { Operation } from '@berth/shared/contracts/contract';
import type { FastifyRequest } from 'fastify';
import type { Authenticate } from './authenticate.ts';

/** A hook that authenticates the request before its body is read. */
export const requireCredential =
  ({ allow, owner }: Operation, authenticate: Authenticate) =>
  async (request: FastifyRequest): Promise<void> => {
    if (allow.on === 'nothing') return;
    const started = performance.now();
    const { identity, identity_token } = await authenticate(request, owner);
    request.identity = identity;
    request.identityToken = identity_token;
    request.spentMs = performance.now() - started;
  };
