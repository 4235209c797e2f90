import { z } from 'zod';
import { GivenTime, Name, Timestamp } from '../../fields/fields.ts';

/** What user tokens and bot tokens have in common. The secret part is in neither: only its hash is kept. */
export const tokenFields = {
  name: z.string().nullable(),
  expires_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable(),
};

export const newTokenFields = {
  name: Name.nullable().optional(),
  expires_at: GivenTime.nullable().optional(),
};

/** `<token-id>.<secret>`, shown this once. */
export const CreatedToken = z.strictObject({ created_token: z.string() });
export type CreatedToken = z.infer<typeof CreatedToken>;
