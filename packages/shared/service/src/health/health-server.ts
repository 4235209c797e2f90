import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Bug } from '@berth/contracts/errors';
import type { Logger } from 'pino';
import type { Certificate } from '../tls/certificate-folder.ts';
import { renewCertificate } from '../tls/renew-certificate.ts';
import { createTlsServer } from '../tls/tls-server.ts';
import type { Health } from './health.ts';

export interface HealthServerOptions {
  host: string;
  /** 0 picks a free port. */
  port: number;
  health: Health;
  /** With it the server speaks TLS. */
  tls?: { readonly folder: string; readonly inUse: Certificate } | undefined;
  log: Logger;
}

export interface HealthServer extends AsyncDisposable {
  readonly port: number;
  /** A step that uses a renewed certificate, where the server has one. */
  readonly renew?: (() => Promise<void>) | undefined;
}

/** `/healthz`, `/readyz` and `/metrics` for probes and Prometheus; must not be public. */
export async function startHealthServer({ host, port, health, tls, log }: HealthServerOptions): Promise<HealthServer> {
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response, health).catch((error: unknown) => {
      log.error({ err: error }, 'answering a probe failed');
      response.writeHead(500).end();
    });
  };
  const server = tls ? createTlsServer(tls.inUse, {}, listener) : createServer(listener);
  server.requestTimeout = 5_000;
  server.maxConnections = 50;
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Bug('the health server has no port');
  log.info({ port: address.port }, 'serving health and metrics');

  return {
    port: address.port,
    renew: tls && renewCertificate({ server }, { ...tls, log }),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer({ method, url }: IncomingMessage, response: ServerResponse, health: Health): Promise<void> {
  if (method !== 'GET') {
    response.writeHead(405, { allow: 'GET' }).end();
    return;
  }
  if (url === '/metrics') {
    const text = await health.metrics.metrics();
    response.writeHead(200, { 'content-type': health.metrics.contentType }).end(text);
    return;
  }
  if (url !== '/healthz' && url !== '/readyz') {
    response.writeHead(404).end();
    return;
  }
  const report = url === '/healthz' ? await health.isAlive() : await health.isReady();
  response.writeHead(report.ok ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify(report));
}
