import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestLimit } from './request-limit.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Limits requests of such a route by identity, once they are authenticated. */
    needsCredential?: boolean;
    /** Such a route counts its own requests. */
    limitsItself?: boolean;
  }
}

export interface LimitAddressesDeps {
  addresses: RequestLimit;
  networkOf: (request: FastifyRequest) => string;
  presentsCredential: (headers: FastifyRequest['headers']) => boolean;
}

/**
 * Limits requests without an identity: to public routes, or without a credential. Probes are always answered.
 */
export function limitAddresses(
  app: FastifyInstance,
  { addresses, networkOf, presentsCredential }: LimitAddressesDeps,
): void {
  app.addHook('onRequest', async (request, reply) => {
    const { isProbe, limitsItself, needsCredential } = request.routeOptions.config;
    if (isProbe || limitsItself || (needsCredential && presentsCredential(request.headers))) return;
    const key = networkOf(request);
    addresses.take(key, reply);
    request.payer = { limit: addresses, key };
  });
}
