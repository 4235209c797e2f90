import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bytesPerUnit, timedBodyBytes, type Usage, unitsOf } from './cost.ts';
import type { RequestLimit } from './request-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    usage: Usage;
    /** The limit that counted the request; its cost is charged there too. */
    payer: { limit: RequestLimit; key: string } | undefined;
  }
}

/** Charges each request, however it ends, for its body, answer and time, which are known only at the end. */
export function chargeUsage(app: FastifyInstance): void {
  app.decorateRequest('usage');
  app.decorateRequest('payer', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    request.usage = { bodyBytes: 0, answerBytes: 0, cpuMs: 0 };
    reply.raw.once('close', () => {
      request.usage.answerBytes += Number(reply.getHeader('content-length') ?? 0);
      charge(request, unitsOf(request.usage));
    });
    done();
  });
}

/** Charges for a part of a stream at once, since a stream may last for an hour. */
export function chargeStreamed(request: FastifyRequest, bytes: number): void {
  request.usage.answerBytes += bytes;
  const units = Math.floor(request.usage.answerBytes / bytesPerUnit.answer);
  request.usage.answerBytes -= units * bytesPerUnit.answer;
  charge(request, units);
}

/**
 * Runs `work` on the body. Its processor time is charged unless the body is too small to matter: a machine that is busy or paused
 * makes no request dearer.
 */
export function chargeTime<T>({ usage }: Pick<FastifyRequest, 'usage'>, work: () => T): T {
  if (usage.bodyBytes <= timedBodyBytes) return work();
  const before = process.threadCpuUsage();
  try {
    return work();
  } finally {
    const { user, system } = process.threadCpuUsage(before);
    usage.cpuMs += (user + system) / 1_000;
  }
}

const charge = ({ payer }: FastifyRequest, units: number): void => payer?.limit.charge(payer.key, units);
