import { foldsToAscii } from '@berth/contracts/fields/ascii-case';
import { Text } from '@berth/contracts/fields/fields';
import { AppError } from '@berth/contracts/errors';
import { z } from 'zod';

/** A person as the provider identifies it. */
export interface Person {
  issuer: string;
  subject: string;
  email: string;
  /** Null if the provider sends no name. */
  displayName: string | null;
}

// Some providers send booleans as text.
const isFalse = (value: unknown): boolean => value === false || value === 'false';

const text = z.string().catch('');

/** Identifies the person. openid-client has already checked the issuer. */
const Subject = z.object({ iss: Text, sub: Text.min(1).max(255) });

const Claims = z.object({
  email: text,
  email_verified: z.unknown().optional(),
  name: text,
  preferred_username: text,
});

/** Reads the claims of a verified ID token and the user info, or refuses the login. */
export function personFrom(claims: unknown): Person {
  const { data: subject } = Subject.safeParse(claims);
  if (!subject) throw new AppError('login_refused', 'The identity provider sent no usable subject (sub) for you');
  const { email_verified, ...known } = Claims.parse(claims);
  const email = known.email.trim();

  if (!isEmail(email)) throw new AppError('login_refused', 'The identity provider sent no e-mail address for you');
  // Databases fold case beyond ASCII, so such an address could match somebody else's.
  if (foldsToAscii(email)) {
    throw new AppError(
      'login_refused',
      'Your e-mail address has a letter that looks like another one: write it in plain letters',
    );
  }
  if (isFalse(email_verified)) {
    throw new AppError('login_refused', 'Your e-mail address is not verified at the identity provider');
  }
  return { issuer: subject.iss, subject: subject.sub, email, displayName: displayName(known) };
}

const isEmail = (value: string): boolean =>
  value.length <= 320 && value.isWellFormed() && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(value);

/** Names are visible to all, e-mail addresses are not: a user name that is an address is not used as a name. */
function displayName({ name, preferred_username }: { name: string; preferred_username: string }): string | null {
  const candidates = [name, preferred_username.includes('@') ? '' : preferred_username];
  return candidates.map(tidy).find((candidate) => candidate !== '') ?? null;
}

/** One line of at most 100 characters, like every name of the platform. */
const tidy = (value: string): string =>
  [...value.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()].slice(0, 100).join('').trim().toWellFormed();
