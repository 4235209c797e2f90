import { createServer, type ServerOptions } from 'node:http';
import { smallBodyBytes } from '@berth/contracts/definition/body-limit';
import type { Authenticated } from '@berth/contracts/resources/accounts/identities';
import { AppError } from '@berth/contracts/errors';
import { nextTurn } from '@berth/service/waiting/next-turn';
import type { Service } from '@berth/service/service';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerFactory,
  LogController,
} from 'fastify';
import { refuseClientError } from './problems/refuse-client-error.ts';
import { firstChecks } from './first-checks.ts';
import { allowOrigins } from './allow-origins.ts';
import { chargeTime, chargeUsage } from '../limits/charge-usage.ts';
import { largeBodyBytes } from '../limits/cost.ts';
import { holdRefusals } from '../limits/hold-refusals.ts';
import { closedConnections } from './connections/connection-metrics.ts';
import { closeAfterUpgrade } from './connections/close-after-upgrade.ts';
import { lingerAfterRefusals } from './connections/linger-after-refusals.ts';
import { limitConnections } from './connections/limit-connections.ts';
import { oneAtATime } from './connections/one-at-a-time.ts';
import { limitRequestsPerConnection } from './connections/limit-requests-per-connection.ts';
import { observeRequests } from './observe-requests.ts';
import { parseJsonBody } from './body/parse-json-body.ts';
import { requestIdOf } from './request-id.ts';
import { sendProblem } from './problems/send-problem.ts';
import { createTlsServer, type TlsOptions } from '@berth/service/tls/tls-server';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, as identified by auth; undefined if the route needs no credential. */
    identity: Authenticated['identity'] | undefined;
    /** The identity as a JWT signed by auth, for the owner. */
    identityToken: string | undefined;
    spentMs: number;
  }
}

export interface HttpServerDeps extends Pick<Service, 'log' | 'metrics'> {
  trustedProxies?: readonly string[];
  /** Without it, the server speaks plain HTTP. */
  tls?: TlsOptions | null | undefined;
  /** The public URL; if it is https, browsers are told to use only https. */
  ownUrl: string;
  allowedOrigins?: readonly string[];
  connections?: ConnectionLimits;
}

/** Times are in ms. */
export interface ConnectionLimits {
  /** The number of open connections. */
  most: number;
  /** For the headers of a request to arrive. */
  headersMs: number;
  /** For a whole request to arrive. */
  requestMs: number;
  /** Between two requests. */
  keepAliveMs: number;
}

export const usualConnections: ConnectionLimits = {
  most: 8_192,
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 72_000,
};

/** The header limit has room for a bearer token of 8 KiB and the headers of proxies. `firstChecks` requires the Host header. */
const optionsOf = ({ headersMs, requestMs, keepAliveMs }: ConnectionLimits): ServerOptions => ({
  requestTimeout: requestMs,
  keepAliveTimeout: keepAliveMs,
  headersTimeout: headersMs,
  maxHeaderSize: 16 * 1024,
  requireHostHeader: false,
  // How often the time limits are checked; by default every 30 s.
  connectionsCheckingInterval: 1_000,
});

const serverFactory =
  (
    tls: TlsOptions | null | undefined,
    limits: ServerOptions,
    inTurn: ReturnType<typeof oneAtATime>,
  ): FastifyServerFactory =>
  (listener) =>
    tls ? createTlsServer(tls, limits, inTurn(listener)) : createServer(limits, inTurn(listener));

export function createHttpServer({ log, metrics, trustedProxies = [], ...deps }: HttpServerDeps): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = log;
  const { tls, ownUrl, allowedOrigins = [], connections = usualConnections } = deps;
  const inTurn = oneAtATime();
  const app = Fastify({
    loggerInstance,
    // A logger per request is not needed, since each line names its request.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    // Routes of operations with a body set a higher limit.
    bodyLimit: smallBodyBytes,
    serverFactory: serverFactory(tls, optionsOf(connections), inTurn),
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
  limitConnections(app.server, {
    most: connections.most,
    slowReaderMs: 30_000,
    mostUnreadBytes: 256 * 1024 * 1024,
    onClosed: closedConnections(metrics),
  });
  // By default Node drops headers beyond 2,000 silently; their size is limited, and `firstChecks` counts them.
  app.server.maxHeadersCount = 0;
  // Unknown expectations are ignored; by default Node refuses them without problem+json.
  app.server.on('checkExpectation', inTurn(app.routing));
  limitRequestsPerConnection(app.server, 1_000);
  closeAfterUpgrade(app.server);
  lingerAfterRefusals(app.server, { forMs: 2_000, mostBytes: 16 * 1024 * 1024 });
  // Each limit watches for the end of an answer, and so do Fastify and a compressed stream: more than Node's ten, but not a leak.
  app.server.prependListener('request', (_, response) => response.setMaxListeners(20));

  app.decorateRequest('identity', undefined);
  app.decorateRequest('identityToken', undefined);
  app.decorateRequest('spentMs', 0);
  const observer = observeRequests(app, { log, metrics });
  chargeUsage(app);
  allowOrigins(app, allowedOrigins);
  firstChecks(app, { isHttps: ownUrl.startsWith('https:') });
  readJsonOnly(app);
  const hold = holdRefusals();
  app.setErrorHandler(async (error, request, reply) => {
    await hold(error);
    return sendProblem(error, request, reply);
  });
  app.setNotFoundHandler((request, reply) => sendProblem(new AppError('not_found', 'No such path'), request, reply));
  return app;
}

const json = /^application\/json(\s*;\s*charset="?utf-8"?)?\s*$/i;

function readJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(json, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') {
      throw new AppError('unsupported_media_type', 'The body must be sent without a content encoding');
    }
    if (body.length === 0) return undefined;
    request.usage.bodyBytes = body.length;
    const parsed = chargeTime(request, () => parseJsonBody(body));
    // Validating a large body takes long, so other requests may run first.
    if (body.length > largeBodyBytes) await nextTurn();
    return parsed;
  });
  app.addContentTypeParser('*', async ({ headers }: FastifyRequest) => {
    // The media type of an empty body is ignored.
    const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
    if (isEmpty) return undefined;
    throw new AppError('unsupported_media_type', 'The body must be sent as application/json');
  });
}
