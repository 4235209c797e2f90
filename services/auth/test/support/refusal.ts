import type { ErrorCode } from '@berth/contracts/errors';
import { expect } from 'vitest';

/** Matches a refused call by its code, words of its message, and the field that it names. */
export const refusal = (code: ErrorCode, words = '', path?: string) =>
  expect.objectContaining({
    code,
    message: expect.stringContaining(words),
    ...(path !== undefined && { errors: expect.arrayContaining([expect.objectContaining({ path })]) }),
  });

/** Lets a test send a request that its type forbids. */
export const malformed = (value: object) => JSON.parse(JSON.stringify(value));
