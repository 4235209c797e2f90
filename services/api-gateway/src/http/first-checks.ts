import { AppError } from '@berth/shared/errors';
import type { FastifyInstance } from 'fastify';
import { type Overload, watchOverload } from './overload.ts';
import { commonHeaders, TooManyHeaders } from './problems/send-problem.ts';

const maxHeaders = 100;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A probe: answered under any load, and not logged. */
    isProbe?: boolean;
  }
}

/** The checks before authentication: is the request valid HTTP, is there a route, is the gateway overloaded. */
export function firstChecks(app: FastifyInstance, overload: Overload = watchOverload()): void {
  app.addHook('onListen', async () => overload.begin());
  app.addHook('onClose', async () => overload[Symbol.dispose]());

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.headers(commonHeaders);
    done(refusalOf());

    function refusalOf(): AppError | undefined {
      const { raw } = request;
      if (raw.headers.host === undefined && raw.httpVersion === '1.1') {
        return new AppError('invalid', 'The request has no Host header');
      }
      // `rawHeaders` has names and values alternately.
      if (raw.rawHeaders.length > 2 * maxHeaders) return new TooManyHeaders();
      if (request.is404) return new AppError('not_found', 'No such path');
      if (overload.isOverloaded() && !request.routeOptions.config.isProbe) {
        return new AppError('unavailable', 'The server is overloaded; try again later');
      }
      return undefined;
    }
  });
}
