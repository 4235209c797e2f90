import { AppError } from '@berth/shared/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { frameworkRefusal } from './framework-refusal.ts';
import { problemHeaders, problemOf } from './problem.ts';

/** The one way in which errors leave. What was not made for callers is logged here and leaves without its words. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = error instanceof AppError ? error : frameworkRefusal(error, request.routeOptions.bodyLimit);
  if (!known) request.log.error({ err: error, request_id: request.id }, 'request failed');

  const answer = known ?? new AppError('internal', 'Something went wrong on our side; the request id helps to find it');
  const status = error instanceof TooManyHeaders ? 431 : answer.status;
  return reply
    .code(status)
    .headers({ ...commonHeaders, 'x-request-id': request.id, ...problemHeaders(answer) })
    .type('application/problem+json')
    .send(problemOf(answer, { requestId: request.id, status }));
}

/** HTTP has a status of its own for this one (431). */
export class TooManyHeaders extends AppError {
  constructor() {
    super('too_large', 'The request has too many headers');
  }
}

/** Of every answer, whatever it is. */
export const commonHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;
