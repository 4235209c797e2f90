import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * Reads `tls.crt` and `tls.key` from a folder, where a Secret of type `kubernetes.io/tls` is mounted. The two may not match while
 * they are being replaced: a server refuses such a pair and keeps its current one.
 */
export async function readCertificate(folder: string): Promise<Certificate> {
  const [cert, key] = await Promise.all([
    readFile(join(folder, 'tls.crt'), 'utf8'),
    readFile(join(folder, 'tls.key'), 'utf8'),
  ]);
  return { cert, key };
}
