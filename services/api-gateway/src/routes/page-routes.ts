import { fileURLToPath } from 'node:url';
import { loginCallbackPath } from '@berth/contracts/resources/accounts/logins';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { methodNotAllowed } from '../http/refuse-other-methods.ts';

const root = fileURLToPath(new URL('../../pages/', import.meta.url));

/** Nothing inline, nothing from other servers; a URL with a login code is never sent as a referrer. */
const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** Pages for signing in with a browser: the signed-in user, and the callback of a login. */
export function pageRoutes(app: FastifyInstance): void {
  const files = { root, prefix: '/pages/', index: false, wildcard: false, cacheControl: false } as const;
  app.register(fastifyStatic, { ...files, setHeaders: (reply) => void reply.headers(headers) });

  const send = (reply: FastifyReply, page: string) => reply.headers(headers).sendFile(page);
  app.get('/', (_request, reply) => send(reply, 'index.html'));
  app.get(loginCallbackPath, (request, reply) => {
    reply.header('vary', 'accept');
    if (request.headers.accept?.includes('text/html')) return send(reply, 'callback.html');
    // Other clients get the methods of the operation at this path.
    reply.header('allow', 'POST');
    throw methodNotAllowed(request.method, ['POST']);
  });
}
