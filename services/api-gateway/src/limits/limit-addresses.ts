import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestLimit } from './request-limit.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its requests are limited by identity, once they are authenticated. */
    needsCredential?: boolean;
  }
}

export interface LimitAddressesDeps {
  addresses: RequestLimit;
  /** The address or network that a request counts for. */
  networkOf: (request: FastifyRequest) => string;
  presentsCredential: (headers: FastifyRequest['headers']) => boolean;
}

/**
 * Limits requests that have no identity: those of routes that need none, and those that need one and present none. Probes are
 * always answered.
 */
export function limitAddresses(
  app: FastifyInstance,
  { addresses, networkOf, presentsCredential }: LimitAddressesDeps,
): void {
  app.addHook('onRequest', async (request, reply) => {
    const { isProbe, needsCredential } = request.routeOptions.config;
    if (isProbe || (needsCredential && presentsCredential(request.headers))) return;
    addresses.take(networkOf(request), reply);
  });
}
