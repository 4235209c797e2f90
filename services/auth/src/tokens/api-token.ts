import { hash, randomBytes, randomUUID } from 'node:crypto';
import { tokenIdIn } from '@berth/contracts/resources/accounts/api-token';

/** `<base64url of the id's 16 bytes>.<base64url of 32 random bytes>`, unpadded. */
const shape = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

export interface PresentedToken {
  id: string;
  secretHash: Buffer;
}

export interface NewApiToken {
  id: string;
  secretHash: Buffer;
  /** The whole token, which the person sees once. */
  text: string;
}

export function newApiToken(): NewApiToken {
  const id = randomUUID();
  const secret = randomBytes(32).toString('base64url');
  return { id, secretHash: hashOf(secret), text: `${encodeId(id)}.${secret}` };
}

/** Null if the text is not an API token, which saves a query. */
export function parseApiToken(text: string): PresentedToken | null {
  const [, encodedId, secret] = shape.exec(text) ?? [];
  const id = tokenIdIn(text);
  if (id === null || secret === undefined) return null;

  // The last character has spare bits: without this, one id could be written in 16 ways.
  if (encodeId(id) !== encodedId) return null;
  return { id, secretHash: hashOf(secret) };
}

// Hashes the text as it was sent, not the bytes that it encodes.
// A plain hash is enough, because the secret is 256 random bits and not a password.
const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer');

const encodeId = (id: string): string => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
