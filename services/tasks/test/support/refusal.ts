import type { ErrorCode } from '@berth/contracts/errors';
import { expect } from 'vitest';

/** A matcher for a refused call: its code, words of its message, and the field that it names. */
export const refusal = (code: ErrorCode, words = '', path?: string) =>
  expect.objectContaining({
    code,
    message: expect.stringContaining(words),
    ...(path !== undefined && { errors: expect.arrayContaining([expect.objectContaining({ path })]) }),
  });
