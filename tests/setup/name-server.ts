import { startNameServer as start } from '@berth/devstack';

export interface NameServer extends AsyncDisposable {
  /** `address:port` */
  readonly address: string;
}

/** A DNS server that resolves every name to 127.0.0.1. */
export async function startNameServer(): Promise<NameServer> {
  const host = '127.0.0.1';
  const server = await start({ host, port: 0 }, async () => [host]);
  return { address: `${host}:${server.port}`, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
