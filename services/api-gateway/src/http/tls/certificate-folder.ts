import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';

/** A certificate chain and its key, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * The certificate in a folder that holds `tls.crt` and `tls.key`, as a Secret of type `kubernetes.io/tls` is mounted.
 * Throws where the two do not fit together, which they do not for a moment while both are being replaced.
 */
export async function readCertificate(folder: string): Promise<Certificate> {
  const [cert, key] = await Promise.all([
    readFile(join(folder, 'tls.crt'), 'utf8'),
    readFile(join(folder, 'tls.key'), 'utf8'),
  ]);
  createSecureContext({ cert, key });
  return { cert, key };
}
