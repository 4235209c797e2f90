import { Server } from 'node:https';
import { Bug } from '@berth/contracts/errors';
import type { Logger } from 'pino';
import { type Certificate, readCertificate } from './certificate-folder.ts';
import { oldestVersion } from './tls-server.ts';

/**
 * A step that presents the certificate in the folder to new connections if it differs from the one in use. If it cannot be read,
 * the step throws, and the certificate in use stays.
 * Without it: each renewal restarts the process; of the gateway it cuts off the streams.
 */
export function renewCertificate(
  { server }: { server: unknown },
  { folder, inUse, log }: { folder: string; inUse: Certificate; log: Logger },
): () => Promise<void> {
  if (!(server instanceof Server)) throw new Bug('Only a TLS server has a certificate');
  let current = inUse;

  return async () => {
    const next = await readCertificate(folder);
    if (next.cert === current.cert && next.key === current.key) return;
    server.setSecureContext({ ...next, minVersion: oldestVersion });
    current = next;
    log.info('the certificate was renewed');
  };
}
