import { answersRow, type Operation, type Resource } from '@berth/contracts/definition/contract';
import { exactShape } from '@berth/contracts/definition/exact-shape';
import { AppError, Bug } from '@berth/contracts/errors';
import { limits } from '../../protocol/limits.ts';
import { etagOf } from '../etag.ts';
import { answerOf } from '../wire/wire-answer.ts';

/** Writes the result of a handler as the bytes that are forwarded to the client. */
export type WriteAnswer = (value: unknown) => Buffer;

/**
 * Owners check their answers so that no extra field leaves. Values were parsed when they entered the service, so fields and types
 * are enough; if these differ, the whole schema decides.
 */
export function writerOf(operation: Operation, resource: Resource): WriteAnswer {
  const hasShape = exactShape(operation.response);
  const isRow = answersRow(operation, resource);

  return (value) => {
    const answer = hasShape?.(value) ? value : parsed(operation, value);
    const etag = isRow && typeof answer === 'object' && answer !== null ? etagOf(resource, answer) : null;
    const bytes = answerOf(JSON.stringify(answer ?? null), etag);
    if (bytes.length > limits.responseBytes) throw new AppError('too_large', 'The answer is too large');
    return bytes;
  };
}

function parsed(operation: Operation, value: unknown): unknown {
  const answer = operation.response.safeParse(value);
  if (answer.success) return answer.data;
  const { path = [], message } = answer.error.issues[0] ?? {};
  // The error names the field but not its value, which may be a secret.
  throw new Bug(
    `${operation.resource}.${operation.name} sent an answer that breaks its contract: ${path.join('.')}: ${message}`,
  );
}
