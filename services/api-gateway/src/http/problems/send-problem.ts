import { AppError } from '@berth/contracts/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { frameworkRefusal } from './framework-refusal.ts';
import { problemHeaders, problemOf } from './problem.ts';

/** Sends every error. A bug is logged here and sent without its message. */
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

/** Sent with HTTP status 431. */
export class TooManyHeaders extends AppError {
  constructor() {
    super('too_large', 'The request has too many headers');
  }
}

export const commonHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;
