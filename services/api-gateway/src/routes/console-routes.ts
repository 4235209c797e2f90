import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '@berth/contracts/errors';
import { loginCallbackPath } from '@berth/contracts/resources/accounts/logins';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { anyPath, methodNotAllowed } from '../http/refuse-other-methods.ts';

const built = fileURLToPath(new URL('../../console/', import.meta.url));
const assets = join(built, 'assets');

/** Nothing inline, nothing from other servers, no markup made from text; a URL with a login code is never sent as a referrer. */
const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; '),
  'referrer-policy': 'no-referrer',
};

/** The names of the files below `assets/` contain digests of their contents. */
const assetHeaders = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'",
};

/** Paths that belong to the API, where an unknown one is an error for programs. All others are pages of the console. */
const ofTheApi = /^\/(?:api|auth|console|\.well-known|healthz|readyz)(?:\/|$)/;

class ConsoleNotBuilt extends Error {
  override readonly name = 'ConsoleNotBuilt';
}

/** Serves the console: its files, and its page at every path that is neither a file nor the API's, so that each of its addresses can be opened. */
export function consoleRoutes(app: FastifyInstance): void {
  if (!existsSync(join(built, 'index.html'))) {
    throw new ConsoleNotBuilt(`${built} lacks index.html: \`npm run build\` makes it`);
  }
  const send = (reply: FastifyReply) =>
    reply.headers({ ...pageHeaders, 'cache-control': 'no-store' }).sendFile('index.html', built);

  app.register(fastifyStatic, {
    root: assets,
    prefix: '/console/assets/',
    index: false,
    preCompressed: true,
    cacheControl: false,
    // The page is sent by the same plugin, with headers of its own.
    setHeaders: (reply, path) => {
      if (path.startsWith(assets)) void reply.headers(assetHeaders);
    },
  });
  app.get('/', (_request, reply) => send(reply));
  app.get(loginCallbackPath, (request, reply) => {
    reply.header('vary', 'accept');
    if (acceptsPages(request)) return send(reply);
    // Other clients get the methods of the operation at this path.
    reply.header('allow', 'POST');
    throw methodNotAllowed(request.method, ['POST']);
  });
  app.get(anyPath, {
    // In a hook, as for every path that does not exist, before anything else of the request is read.
    onRequest: (request, _reply, done) => done(isPage(request) ? undefined : new AppError('not_found', 'No such path')),
    handler: (_request, reply) => send(reply),
  });
}

function isPage(request: FastifyRequest): boolean {
  const [path = ''] = request.url.split('?', 1);
  return acceptsPages(request) && !ofTheApi.test(path);
}

const acceptsPages = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') === true;
