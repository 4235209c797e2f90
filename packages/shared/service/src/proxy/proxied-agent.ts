import { Agent } from 'node:https';
import type { ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';
import { Bug } from '@berth/contracts/errors';
import { proxyFor } from './proxy-for.ts';
import { tunnelThrough } from './tunnel-through.ts';

/** Covers the name of the proxy, the connection to it and its answer. */
const tunnelMs = 10_000;

type Opened = (error: Error | null, socket: Duplex) => void;

/**
 * Connects through the proxy where there is one for the host. Node's own `proxyEnv` waits without end for a proxy that does not
 * answer: the signal of the request does not reach it (24.21).
 */
export class ProxiedAgent extends Agent {
  override createConnection(options: ClientRequestArgs, opened?: Opened): Duplex | null | undefined {
    const host = String(options.host);
    const port = Number(options.port ?? 443);
    const proxy = proxyFor(new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`));
    if (proxy === null) return super.createConnection(options, opened);

    const secured = async (): Promise<Duplex> => {
      const tunnel = await tunnelThrough(proxy, { host, port }, AbortSignal.timeout(tunnelMs));
      const socket = super.createConnection(Object.assign({}, options, { socket: tunnel }));
      if (!socket) throw new Bug('no connection was made');
      return socket;
    };
    // Without a socket the agent reads only the error.
    secured().then(
      (socket) => opened?.(null, socket),
      (error: Error) => Reflect.apply(opened ?? (() => undefined), undefined, [error]),
    );
    return undefined;
  }
}
