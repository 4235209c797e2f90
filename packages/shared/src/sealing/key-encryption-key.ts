import { z } from 'zod';

/** A setting that holds the key under which a service seals what it stores. */
export const KeyEncryptionKey = z
  .base64('must be base64')
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((key) => key.length === 32, 'must be the base64 of 32 bytes');
