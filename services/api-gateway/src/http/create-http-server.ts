import { smallBodyBytes } from '@berth/shared/contracts/body-limit';
import type { Authenticated } from '@berth/shared/contracts/resources/identities';
import { AppError } from '@berth/shared/errors';
import { nextTurn } from '@berth/shared/waiting/next-turn';
import type { Service } from '@berth/shared/service/service';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import { refuseClientError } from './problems/refuse-client-error.ts';
import { firstChecks } from './first-checks.ts';
import { limitRequestsPerConnection } from './limit-requests-per-connection.ts';
import { observeRequests } from './observe-requests.ts';
import { parseJsonBody } from './body/parse-json-body.ts';
import { requestIdOf } from './request-id.ts';
import { sendProblem } from './problems/send-problem.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, as auth identified it; undefined where no credential is needed. */
    identity: Authenticated['identity'] | undefined;
    /** The same as auth signed it, to pass on. */
    identityToken: string | undefined;
    /** Time that the call to auth took, in ms. */
    spentMs: number;
  }
}

export interface HttpServerDeps extends Pick<Service, 'log' | 'metrics'> {
  trustedProxies?: readonly string[];
}

/** Fastify with our limits, our JSON reading and one way for every error to leave. It knows no route. */
export function createHttpServer({ log, metrics, trustedProxies = [] }: HttpServerDeps): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = log;
  const app = Fastify({
    loggerInstance,
    // A logger per request would be made for nothing: what is logged names the request itself.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    // Routes of operations that take a body allow more.
    bodyLimit: smallBodyBytes,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    // Long enough for a bearer token of 8 KiB beside what proxies add; without a Host header we answer ourselves.
    http: {
      headersTimeout: 10_000,
      maxHeaderSize: 16 * 1024,
      requireHostHeader: false,
      // Interval of checking the time limits; by default 30 s.
      connectionsCheckingInterval: 1_000,
    },
    genReqId: ({ headers }) => requestIdOf(headers['x-request-id']),
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 200 },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: refuseClientError,
    frameworkErrors: (error, request, reply) => {
      observer.begin(request, reply);
      sendProblem(error, request, reply);
    },
  });
  app.server.maxConnections = 8_192;
  // By default more than 2,000 would be left out without a word; their size is bounded, and we count them.
  app.server.maxHeadersCount = 0;
  // An expectation that we do not know is no reason to refuse, and the default answer is no problem+json.
  app.server.on('checkExpectation', app.routing);
  limitRequestsPerConnection(app.server, 1_000);

  app.decorateRequest('identity', undefined);
  app.decorateRequest('identityToken', undefined);
  app.decorateRequest('spentMs', 0);
  const observer = observeRequests(app, { log, metrics });
  firstChecks(app);
  readJsonOnly(app);
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler((request, reply) =>
    sendProblem(new AppError('not_found', 'There is nothing at this path'), request, reply),
  );
  return app;
}

const largeBodyBytes = 64 * 1024;

const json = /^application\/json(\s*;\s*charset="?utf-8"?)?\s*$/i;

function readJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(json, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') {
      throw new AppError('unsupported_media_type', 'The body must be sent without a content encoding');
    }
    if (body.length === 0) return undefined;
    const parsed = parseJsonBody(body);
    // Its schema is next, which looks at all of it once more: others get their turn in between.
    if (body.length > largeBodyBytes) await nextTurn();
    return parsed;
  });
  app.addContentTypeParser('*', async ({ headers }: FastifyRequest) => {
    // A media type may be named where there is no body; it says nothing then.
    const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
    if (isEmpty) return undefined;
    throw new AppError('unsupported_media_type', 'The body must be sent as application/json');
  });
}
