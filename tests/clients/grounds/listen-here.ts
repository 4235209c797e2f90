import { once } from 'node:events';
import type { Server } from 'node:http';
import { portOf } from '@berth/testing/network/port-of';

/** Has a server listen on a port of this machine, until it is disposed of. */
export async function listenHere(server: Server): Promise<AsyncDisposable & { readonly url: string }> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
