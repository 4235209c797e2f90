import { AppError } from '@berth/contracts/errors';
import type { FastifyInstance } from 'fastify';
import { type Overload, watchOverload } from './overload.ts';
import { commonHeaders, TooManyHeaders } from './problems/send-problem.ts';

const maxHeaders = 100;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A probe is answered under any load, and not logged. */
    isProbe?: boolean;
  }
}

export interface FirstChecksOptions {
  /** Whether the public URL is https, be it served here or by a proxy. */
  isHttps: boolean;
  overload?: Overload;
}

/** Browsers remember this for a year and do not try plain HTTP. */
const strictTransport = { 'strict-transport-security': 'max-age=31536000' };

/** The checks before authentication: valid HTTP, a known route, no overload. */
export function firstChecks(app: FastifyInstance, { isHttps, overload = watchOverload() }: FirstChecksOptions): void {
  const headers = { ...commonHeaders, ...(isHttps && strictTransport) };
  app.addHook('onListen', async () => overload.begin());
  app.addHook('onClose', async () => overload[Symbol.dispose]());

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.headers(headers);
    done(refusalOf());

    function refusalOf(): AppError | undefined {
      const { raw } = request;
      if (raw.headers.host === undefined && raw.httpVersion === '1.1') {
        return new AppError('invalid', 'The request has no Host header');
      }
      // `rawHeaders` alternates names and values.
      if (raw.rawHeaders.length > 2 * maxHeaders) return new TooManyHeaders();
      if (request.is404) return new AppError('not_found', 'No such path');
      if (overload.isOverloaded() && !request.routeOptions.config.isProbe) {
        return new AppError('unavailable', 'The server is overloaded; try again later');
      }
      return undefined;
    }
  });
}
