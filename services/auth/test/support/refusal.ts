import type { ErrorCode } from '@berth/contracts/errors';
import { expect } from 'vitest';

/** What a refused call is compared with: its code, words that it must have, and the field it names. */
export const refusal = (code: ErrorCode, words = '', path?: string) =>
  expect.objectContaining({
    code,
    message: expect.stringContaining(words),
    ...(path !== undefined && { errors: expect.arrayContaining([expect.objectContaining({ path })]) }),
  });

/** A request that does not compile, for what happens to it when it arrives all the same. */
export const malformed = (value: object) => JSON.parse(JSON.stringify(value));
