import { z } from 'zod';
import { GivenTime, Name, Timestamp } from '../../fields/fields.ts';

/** The common fields of user tokens and bot tokens. Neither has the secret part: only its hash is stored. */
export const tokenFields = {
  name: z.string().nullable(),
  expires_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable(),
};

export const newTokenFields = {
  name: Name.nullable().optional(),
  expires_at: GivenTime.nullable().optional(),
};

/** `<token-id>.<secret>`, shown only in this answer. */
export const CreatedToken = z.strictObject({ created_token: z.string() });
export type CreatedToken = z.infer<typeof CreatedToken>;
