import { Text } from '@berth/shared/contracts/fields';
import { AppError } from '@berth/shared/errors';
import { z } from 'zod';

/** Who the provider says somebody is. */
export interface Person {
  issuer: string;
  subject: string;
  email: string;
  /** Null where the provider tells no name. */
  displayName: string | null;
}

// Some providers send booleans as text.
const isFalse = (value: unknown): boolean => value === false || value === 'false';

const text = z.string().catch('');

const Claims = z.object({
  iss: Text,
  sub: Text.min(1).max(255),
  email: text,
  email_verified: z.unknown().optional(),
  name: text,
  preferred_username: text,
});

/** Reads what a verified ID token (and the user info) says, or refuses the login. */
export function personFrom(claims: unknown): Person {
  const { iss, sub, email_verified, ...told } = Claims.parse(claims);
  const email = told.email.trim();

  if (!isEmail(email)) throw new AppError('login_refused', 'The identity provider tells no e-mail address for you');
  if (isFalse(email_verified)) {
    throw new AppError('login_refused', 'Your e-mail address is not verified at the identity provider');
  }
  return { issuer: iss, subject: sub, email, displayName: displayName(told) };
}

const isEmail = (value: string): boolean =>
  value.length <= 320 && value.isWellFormed() && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(value);

/** Names are shown to everybody, e-mail addresses are not: a user name that is an address is no name. */
function displayName({ name, preferred_username }: { name: string; preferred_username: string }): string | null {
  const candidates = [name, preferred_username.includes('@') ? '' : preferred_username];
  return candidates.map(tidy).find((candidate) => candidate !== '') ?? null;
}

/** One line of at most 100 characters, as every name of the platform. */
const tidy = (value: string): string =>
  [...value.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()].slice(0, 100).join('').trim().toWellFormed();
