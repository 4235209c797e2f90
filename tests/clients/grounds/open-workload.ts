import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ensureCertificates } from '@berth/devstack/servers/kubernetes/certificates';
import { portOf } from '@berth/testing/network/port-of';
import { startNameServer } from '../../setup/name-server.ts';

/** A server behind the ingress of the deployment `kubernetes`, on a cluster with the domain `default.svc`, and how runners reach it. */
export async function startOpenWorkload() {
  const folder = await mkdtemp(join(tmpdir(), 'berth-workload-'));
  // They are for the local API server, so for this name.
  const { server: files, pem } = await ensureCertificates(folder);
  const [cert, key] = await Promise.all([readFile(files.certificate), readFile(files.key)]);
  await rm(folder, { recursive: true, force: true });
  const bodies: string[] = [];
  const server = createServer({ cert, key }, (request, reply) => {
    void text(request).then((body) => {
      bodies.push(body);
      reply.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  const names = await startNameServer();
  return {
    bodies,
    runner: {
      CALL_CA: pem.authority,
      CALL_PORT: String(port),
      CALL_ALLOW_ADDRESSES: '127.0.0.1',
      CALL_NAME_SERVERS: names.address,
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await names[Symbol.asyncDispose]();
    },
  };
}
