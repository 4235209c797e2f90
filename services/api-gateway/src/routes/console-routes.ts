import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loginCallbackPath } from '@berth/contracts/resources/accounts/logins';
import { AppError } from '@berth/contracts/errors';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendProblem } from '../http/problems/send-problem.ts';
import { methodNotAllowed } from '../http/refuse-other-methods.ts';

const built = fileURLToPath(new URL('../../console/', import.meta.url));

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
const immutable = 'public, max-age=31536000, immutable';

/** Paths that belong to the API, where an unknown one is an error for programs. All others are pages of the console. */
const ofTheApi = /^\/(?:api|auth|console|\.well-known|healthz|readyz)(?:\/|$)/;

/** Serves the console: its files, and its page at every path that is neither a file nor the API's, so that each of its addresses can be opened. */
export function consoleRoutes(app: FastifyInstance): void {
  const page = readPage();
  const send = (reply: FastifyReply) =>
    reply.headers({ ...pageHeaders, 'cache-control': 'no-store' }).type('text/html; charset=utf-8').send(page);

  app.register(fastifyStatic, {
    root: join(built, 'assets'),
    prefix: '/console/assets/',
    index: false,
    preCompressed: true,
    cacheControl: false,
    decorateReply: false,
    setHeaders: (reply) => void reply.headers({ 'cache-control': immutable, 'content-security-policy': "default-src 'none'" }),
  });
  app.get('/', (_request, reply) => send(reply));
  app.get(loginCallbackPath, (request, reply) => {
    reply.header('vary', 'accept');
    if (acceptsPages(request)) return send(reply);
    // Other clients get the methods of the operation at this path.
    reply.header('allow', 'POST');
    throw methodNotAllowed(request.method, ['POST']);
  });
  app.setNotFoundHandler((request, reply) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const [path = ''] = request.url.split('?', 1);
    if (isRead && acceptsPages(request) && !ofTheApi.test(path)) return send(reply);
    return sendProblem(new AppError('not_found', 'No such path'), request, reply);
  });
}

const acceptsPages = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') === true;

function readPage(): Buffer {
  const file = join(built, 'index.html');
  if (!existsSync(file)) throw new Error(`the console is not built: ${file} is missing. npm run build makes it`);
  return readFileSync(file);
}
