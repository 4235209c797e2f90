import { answersRow, type Operation, type Resource } from '@berth/contracts/definition/contract';
import { exactShape } from '@berth/contracts/definition/exact-shape';
import { AppError } from '@berth/contracts/errors';
import { limits } from '../../protocol/limits.ts';
import { etagOf } from '../etag.ts';
import { answerOf } from '../wire/wire-answer.ts';

/** Writes what a handler returned as the bytes that travel up to the client. */
export type WriteAnswer = (value: unknown) => Buffer;

/**
 * The owner checks its own answers, so that no extra field leaves; nobody checks them again. Values have been parsed where they
 * entered the service, from a row for instance. So only fields and types are looked at, and the whole schema decides where these
 * are not as it describes.
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
  // Not the value itself: it may be a secret.
  throw new Error(
    `${operation.resource}.${operation.name} sent an answer that breaks its contract: ${path.join('.')}: ${message}`,
  );
}
