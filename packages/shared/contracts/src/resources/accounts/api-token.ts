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

/** The id in a token: before the secret stand its 16 bytes in base64url. Null if the text is no token. */
export function tokenIdIn(text: string): string | null {
  const [, encoded] = /^([A-Za-z0-9_-]{22})\./.exec(text) ?? [];
  if (encoded === undefined) return null;
  const bytes = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
  const hex = Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
