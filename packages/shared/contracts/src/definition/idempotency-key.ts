import { z } from 'zod';
import { AppError } from '../errors.ts';
import { type OperationSpec, successStatus } from './contract.ts';

/**
 * Whether the operation takes an `Idempotency-Key`: it creates a row for a caller, and an accidental repeat would create another.
 * Keys belong to callers, so requests without a credential take none.
 */
export const isCreation = (operation: OperationSpec): boolean =>
  operation.http?.startsWith('POST') === true && successStatus(operation) === 201 && operation.allow.on !== 'nothing';

const words = 'must be 1 to 255 printable ASCII characters';

export const IdempotencyKey = z
  .string(words)
  .regex(/^[\x20-\x7e]*$/, words)
  .min(1, words)
  .max(255, words);

/** Answers a repeat when the first request has not been answered in time. */
export const stillAnswering = (cause?: unknown): AppError =>
  new AppError('conflict', 'A request with this Idempotency-Key is still being answered', { cause });

/** The value of the header, if present. */
export function idempotencyKeyOf(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  const key = IdempotencyKey.safeParse(given);
  if (key.success) return key.data;
  const path = 'headers.idempotency-key';
  throw new AppError('invalid', `${path}: ${words}`, { errors: [{ path, message: words }] });
}
