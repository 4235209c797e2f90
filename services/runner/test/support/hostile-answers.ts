import { setTimeout as delay } from 'node:timers/promises';
import type { Resolve } from '@berth/egress/guarded-lookup';
import type { DeploymentClient } from '../../src/calls/deployment-client.ts';
import type { HttpsDeployment } from './https-deployment.ts';

/** All names resolve to this machine; the certificate of the test deployment is only for `localhost`. */
export const everyNameHere: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];
export const withWrongCertificate = 'somebody-else.example.com';

type Respond = Parameters<HttpsDeployment['respond']>[0];

/** Bytes that an endless answer may send before its reader must have left: the capacity of the sockets, with a margin. */
export const mostOfEndless = 64 * 1024 * 1024;

/** A deployment that is hostile in the way that the path names, and answers other paths with `respond`. */
export function hostileAnswers(respond: Respond): { respond: Respond; endlessBytes(): number } {
  let endlessBytes = 0;
  const chunk = 'x'.repeat(64 * 1024);
  const ways: Record<string, Respond> = {
    '/silent': () => undefined,
    '/trickling': async (_call, response) => {
      response.writeHead(200);
      while (!response.destroyed) {
        response.write(' ');
        await delay(50);
      }
    },
    '/endless': async (_call, response) => {
      response.writeHead(500);
      while (!response.destroyed) {
        endlessBytes += chunk.length;
        // Closed or full: a closed one never emits `drain`.
        if (!response.write(chunk)) await Promise.race([delay(50), new Promise((go) => response.once('drain', go))]);
      }
    },
    '/huge': (_call, response) => response.writeHead(500).end('y'.repeat(1_000_000)),
    '/redirecting': (_call, response) => response.writeHead(307, { location: '/good' }).end(),
    '/echoing': ({ headers, body }, response) => response.writeHead(422).end(`${headers.authorization} ${body}`),
  };
  return {
    respond: (call, response) => (ways[call.path] ?? respond)(call, response),
    endlessBytes: () => endlessBytes,
  };
}

/** A client with a hundredth of the time limit. */
export const hurried = (client: DeploymentClient): DeploymentClient => ({
  call: (call, limits) => client.call(call, { ...limits, timeoutMs: limits.timeoutMs / 100 }),
  [Symbol.dispose]: () => client[Symbol.dispose](),
});
