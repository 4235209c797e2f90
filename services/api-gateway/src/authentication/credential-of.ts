import type { IncomingHttpHeaders } from 'node:http';
import type { Credential } from '@berth/contracts/resources/accounts/identities';
import { AppError } from '@berth/contracts/errors';

/** Has the same message as auth's error for an invalid credential, so that the cause stays hidden. */
const missing = () => new AppError('unauthenticated', 'The credential is missing or not valid');

/** The credential of a request; `x-service-token` wins if both are sent (Specification, "Credentials"). */
export function credentialOf({ 'x-service-token': token, authorization }: IncomingHttpHeaders): Credential {
  if (token !== undefined) {
    if (typeof token !== 'string' || token.length > 4096) throw missing();
    return { token };
  }
  const jwt = /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];
  if (jwt === undefined || jwt.length > 8192) throw missing();
  return { jwt };
}

export function presentsCredential(headers: IncomingHttpHeaders): boolean {
  try {
    credentialOf(headers);
    return true;
  } catch {
    return false;
  }
}
