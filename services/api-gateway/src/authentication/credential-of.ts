import type { IncomingHttpHeaders } from 'node:http';
import type { Credential } from '@berth/shared/contracts/identities';
import { AppError } from '@berth/shared/errors';

const missing = () =>
  new AppError('unauthenticated', 'A credential is needed: x-service-token, or Authorization: Bearer');

/** The credential of a request; `x-service-token` decides where both are sent (decision 4). */
export function credentialOf({ 'x-service-token': token, authorization }: IncomingHttpHeaders): Credential {
  if (token !== undefined) {
    if (typeof token !== 'string' || token.length > 4096) throw missing();
    return { token };
  }
  const jwt = /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];
  if (jwt === undefined || jwt.length > 8192) throw missing();
  return { jwt };
}
