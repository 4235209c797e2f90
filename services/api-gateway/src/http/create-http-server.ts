import { AppError } from '@berth/shared/errors';
import type { Service } from '@berth/shared/service/service';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { parseJsonBody } from './parse-json-body.ts';
import { appErrorOf, problemHeaders, problemOf } from './problem.ts';
import { requestIdOf } from './request-id.ts';

const bodyLimit = 1024 * 1024;

/** Fastify with our limits, our JSON reading and one way for every error to leave. It knows no route. */
export function createHttpServer({ log }: Pick<Service, 'log'>): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = log;
  const app = Fastify({
    loggerInstance,
    disableRequestLogging: true,
    bodyLimit,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    http: { headersTimeout: 10_000, maxHeaderSize: 16 * 1024 },
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    requestIdHeader: false,
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 200 },
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
  });

  app.decorateRequest('identityToken', undefined);
  app.decorateRequest('startedAt', 0);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/json(\s*;\s*charset="?utf-8"?)?\s*$/i,
    { parseAs: 'buffer' },
    (_request, body, done) => {
      try {
        const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body);
        done(null, bytes.length === 0 ? undefined : parseJsonBody(bytes));
      } catch (error) {
        done(error instanceof Error ? error : new Error('unreadable body'));
      }
    },
  );

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
  });
  app.setErrorHandler(sendError);
  app.setNotFoundHandler((request, reply) =>
    sendError(new AppError('not_found', 'There is nothing at this path'), request, reply),
  );

  return app;
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = appErrorOf(error);
  if (known?.cause !== undefined) request.log.debug({ err: known.cause }, 'request refused');
  if (!known) request.log.error({ err: error, requestId: request.id }, 'request failed');

  const answer = known ?? new AppError('internal', 'Something went wrong on our side; the request id helps to find it');
  return reply
    .code(answer.status)
    .headers({ 'x-request-id': request.id, ...problemHeaders(answer) })
    .type('application/problem+json')
    .send(problemOf(answer, request.id));
}
