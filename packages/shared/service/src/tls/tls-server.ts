import type { RequestListener, Server, ServerOptions } from 'node:http';
import { createServer } from 'node:https';
import type { Certificate } from './certificate-folder.ts';

export interface TlsOptions extends Certificate {
  /** PEM of the authorities whose client certificates are accepted; without it clients need no certificate. */
  readonly clientCa?: string | undefined;
}

export const oldestVersion = 'TLSv1.2';

/** A server for TLS 1.2 and above. With `clientCa`, clients without a certificate of those authorities fail the handshake. */
export const createTlsServer = (
  { cert, key, clientCa }: TlsOptions,
  http: ServerOptions,
  listener: RequestListener,
): Server =>
  createServer(
    {
      ...http,
      cert,
      key,
      ca: clientCa,
      requestCert: clientCa !== undefined,
      rejectUnauthorized: true,
      minVersion: oldestVersion,
      handshakeTimeout: 10_000,
    },
    listener,
  );
