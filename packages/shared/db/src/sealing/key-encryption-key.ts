import { z } from 'zod';

/** A setting with the key under which a service seals stored values. */
export const KeyEncryptionKey = z
  .base64('must be base64')
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((key) => key.length === 32, 'must be the base64 of 32 bytes');

/** Further keys, separated by spaces or line breaks, which only open sealed values while the key is being replaced. */
export const OtherKeyEncryptionKeys = z
  .string()
  .default('')
  .transform((list) => list.split(/\s+/).filter((key) => key !== ''))
  .pipe(z.array(KeyEncryptionKey));
