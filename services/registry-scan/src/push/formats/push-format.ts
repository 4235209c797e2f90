import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { PushHint } from '../../connection/push-hint.ts';

/** How registries of one kind report pushes and deletions, below `/events`. */
export interface PushFormat {
  path: string;
  /** False if the headers already show that the sender does not know the token; checked before the body is read. */
  mayBeAuthorized: (headers: IncomingHttpHeaders, token: string) => boolean;
  /** Whether the body is signed with the token, where the headers do not prove it. */
  isSigned?: (headers: IncomingHttpHeaders, body: Buffer, token: string) => boolean;
  /** The tags and repositories that the event names; null if the body is not an event of this format. */
  hintsIn: (event: unknown, headers: IncomingHttpHeaders) => PushHint[] | null;
}

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');
const isEqual = (one: string, other: string): boolean => timingSafeEqual(sha256(one), sha256(other));

export const hasBearer = ({ authorization = '' }: IncomingHttpHeaders, token: string): boolean =>
  isEqual(authorization, `Bearer ${token}`);

/** Any user name will do, with the token as its password. */
export function hasPassword({ authorization = '' }: IncomingHttpHeaders, token: string): boolean {
  const [, encoded = ''] = /^Basic ([A-Za-z0-9+/=]{1,8192})$/.exec(authorization) ?? [];
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  return isEqual(text.slice(text.indexOf(':') + 1), token) && text.includes(':');
}

const signatureOf = (body: Buffer, token: string): string =>
  `sha256=${createHmac('sha256', token).update(body).digest('hex')}`;

export const isSignature = (given: unknown, body: Buffer, token: string): boolean =>
  typeof given === 'string' && isEqual(given, signatureOf(body, token));
