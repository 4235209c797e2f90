import type { FastifyInstance } from 'fastify';

const allowedHeaders = [
  'authorization',
  'content-type',
  'idempotency-key',
  'if-match',
  'last-event-id',
  'traceparent',
  'x-request-id',
  'x-service-token',
].join(', ');
const allowedMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const exposedHeaders =
  'allow, berth-task-count, berth-task-ids, etag, ratelimit, ratelimit-policy, retry-after, x-request-id';
const preflightSeconds = '600';

/**
 * Lets pages of these origins call the API (CORS). Origins are compared exactly; credentials travel in headers and never in
 * cookies, so `Access-Control-Allow-Credentials` is not sent. Without origins these headers are not sent, and `OPTIONS` answers
 * 405 as elsewhere. Add this hook before the other checks, so that browsers can read their refusals too.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins);

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('vary', 'origin');
    const { origin, 'access-control-request-method': wanted } = request.headers;
    if (origin === undefined || !allowed.has(origin)) return done();

    reply.header('access-control-allow-origin', origin);
    if (request.method !== 'OPTIONS' || wanted === undefined) {
      reply.header('access-control-expose-headers', exposedHeaders);
      return done();
    }
    reply.headers({
      'access-control-allow-methods': allowedMethods,
      'access-control-allow-headers': allowedHeaders,
      'access-control-max-age': preflightSeconds,
      'x-request-id': request.id,
    });
    void reply.code(204).send();
  });
}
