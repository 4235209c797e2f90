import type { ErrorCode } from '@berth/contracts/errors';
import { expect } from 'vitest';

/** Matches a refused call by its code, a part of its message, and the named field. */
export const refusal = (code: ErrorCode, words = '', path?: string) =>
  expect.objectContaining({
    code,
    message: expect.stringContaining(words),
    ...(path !== undefined && { errors: expect.arrayContaining([expect.objectContaining({ path })]) }),
  });
