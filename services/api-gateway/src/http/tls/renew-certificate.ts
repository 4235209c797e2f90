import { Server } from 'node:https';
import { Bug } from '@berth/contracts/errors';
import type { Service } from '@berth/service/service';
import type { FastifyInstance } from 'fastify';
import { type Certificate, readCertificate } from './certificate-folder.ts';
import { oldestVersion } from './tls-server.ts';

/**
 * A step that presents the certificate in the folder to new connections if it differs from the one in use. If it cannot be read,
 * the step throws, and the certificate in use stays.
 * Without it: each renewal restarts the gateway and cuts off its streams. Not needed if a proxy terminates TLS.
 */
export function renewCertificate(
  { server }: Pick<FastifyInstance, 'server'>,
  { folder, inUse, log }: Pick<Service, 'log'> & { folder: string; inUse: Certificate },
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
