import { z } from 'zod';
import { AppError } from '../errors.ts';
import { type OperationSpec, successStatus } from './contract.ts';

/**
 * Creates a row for a caller. Sent twice by mistake, it would create two, so it takes an `Idempotency-Key`. The key of a
 * request without a credential has no owner.
 */
export const isCreation = (operation: OperationSpec): boolean =>
  operation.http?.startsWith('POST') === true && successStatus(operation) === 201 && operation.allow.on !== 'nothing';

const words = 'must be 1 to 255 printable ASCII characters';

export const IdempotencyKey = z
  .string(words)
  .regex(/^[\x20-\x7e]*$/, words)
  .min(1, words)
  .max(255, words);

/** For a second request that has waited long enough for the first. */
export const stillAnswering = (cause?: unknown): AppError =>
  new AppError('conflict', 'A request with this Idempotency-Key is still being answered', { cause });

/** The header as it was given, if it was. */
export function idempotencyKeyOf(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  const key = IdempotencyKey.safeParse(given);
  if (key.success) return key.data;
  const path = 'headers.idempotency-key';
  throw new AppError('invalid', `${path}: ${words}`, { errors: [{ path, message: words }] });
}
