import { METHODS } from 'node:http';
import { AppError } from '@berth/contracts/errors';
import type { FastifyInstance } from 'fastify';

/** The route of all paths without one of their own. */
export const anyPath = '/*';

/** The methods of each path, for routes added after `collectMethods`. */
export type KnownMethods = Map<string, Set<string>>;

export function collectMethods(app: FastifyInstance): KnownMethods {
  const known: KnownMethods = new Map();
  app.addHook('onRoute', ({ method, url }) => {
    // The pages of the console are at all paths without a route of their own, which have no methods that one could name.
    if (url === anyPath) return;
    const methods = known.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    known.set(url, methods);
  });
  return known;
}

/** Answers other methods of a known path with 405 and `Allow`. Call it after all routes are added. */
export function refuseOtherMethods(app: FastifyInstance, known: KnownMethods): void {
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  for (const [url, methods] of known) {
    const allow = allowed(methods);
    app.route({
      method: app.supportedMethods.filter((method) => !allow.includes(method)),
      url,
      // In a hook, before the body is read.
      onRequest: (request, reply, done) => {
        reply.header('allow', allow.join(', '));
        done(methodNotAllowed(request.method, allow));
      },
      handler: async () => null,
    });
  }
}

/** The framework adds `HEAD` to each `GET`; it comes last. */
function allowed(methods: Set<string>): string[] {
  const named = [...methods].filter((method) => method !== 'HEAD');
  return methods.has('GET') ? [...named, 'HEAD'] : named;
}

export const methodNotAllowed = (method: string, allow: readonly string[]): AppError =>
  new AppError('method_not_allowed', `${method} is not allowed here; allowed: ${allow.join(', ')}`);
