import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { credentialsFile } from '../../src/connection/read-credentials.ts';
import { type OciServerOptions, startOciServer } from './oci-server.ts';

/** Starts a registry and a client configured for it; both end with the test. */
export async function startWithClient(options: OciServerOptions = {}) {
  const server = await startOciServer(options);
  const client = server.registry.connect({
    readCredentials: credentialsFile(server.source.credentialsFile),
    onRequest: () => undefined,
  });
  onTestFinished(async () => {
    client[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
  });
  return { server, client };
}

export const signal = (): AbortSignal => AbortSignal.timeout(20_000);

export const archive = Buffer.from('the package');

export const redirect = (response: ServerResponse, location: string): void =>
  void response.writeHead(307, { location }).end();

export const challenge = (response: ServerResponse, header: string): void =>
  void response.writeHead(401, { 'www-authenticate': header }).end();
