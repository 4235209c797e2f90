import { once } from 'node:events';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import type { Identity } from '@berth/contracts/access/identity';
import type { Bus } from '@berth/bus/bus';
import type { Handlers, ServedResource } from '@berth/bus/rpc/handler';
import { implement } from '@berth/bus/rpc/implement';
import type { OperationSpec, Resource, ServiceName } from '@berth/contracts/definition/contract';
import { identities } from '@berth/contracts/resources/accounts/identities';
import { server } from '@berth/contracts/resources/gateway/server';
import { AppError } from '@berth/contracts/errors';
import { createLog } from '@berth/service/logging/create-log';
import { connectTestBus } from '@berth/testing/test-bus';
import { identityToken, sampleIdentities } from '@berth/testing/test-identities';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { createGateway, type GatewayDeps } from '../../src/create-gateway.ts';
import { type Closing, closingGracefully } from '../../src/http/close-gracefully.ts';

export interface TestGateway extends AsyncDisposable {
  url: string;
  port: number;
  nats: TestNats;
  app: FastifyInstance;
  metrics: Registry;
  /** The log lines so far. */
  logged(): Record<string, unknown>[];
  /** Starts a service that has only these handlers. */
  serve(owner: ServiceName, ...served: ServedResource[]): Promise<Bus>;
  get(path: string, init?: RequestInit): Promise<Response>;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Sends raw bytes; resolves to everything received by the time the connection is closed. */
  raw(request: string): Promise<string>;
  /** Announces the stop without closing the gateway yet. */
  announceStop(): void;
  stop(): Promise<void>;
}

/** Serves a few operations of a resource; a call to another one is a fault of the test. */
export function some<Ops extends Record<string, OperationSpec>>(
  resource: Resource<Ops>,
  handlers: Partial<Handlers<Ops>>,
): ServedResource {
  const given: Record<string, unknown> = handlers;
  const missing = Object.keys(resource.operations).filter((name) => given[name] === undefined);
  const absent = missing.map((name) => [name, () => Promise.reject(new Error(`${name} is not part of this test`))]);
  const served = implement(resource, { ...Object.fromEntries(absent), ...handlers });
  const withoutStore = Object.entries(served.handlers).map(([name, handle]) => {
    const handler: typeof handle = async (request, context) => {
      context.repeatable();
      const answer = await handle(request, context);
      context.checkChange('nothing');
      return answer;
    };
    return [name, handler];
  });
  return { ...served, handlers: Object.fromEntries(withoutStore) };
}

/** A stub of auth: a credential is the name of a sample identity, and identities outside of `names` are inactive. */
export const testAuth = (
  names: Set<string> = new Set(Object.keys(sampleIdentities)),
  known: Record<string, Identity> = sampleIdentities,
): ServedResource =>
  some(identities, {
    authenticate: async ({ body }) => {
      const { credential, audience } = body;
      const name = 'token' in credential ? credential.token : credential.jwt;
      const identity = known[name];
      if (!identity) throw new AppError('unauthenticated', 'The credential is missing or not valid');
      if (!names.has(name)) throw new AppError('user_inactive', 'This user is not active');
      return {
        identity: { kind: identity.kind, id: identity.id },
        identity_token: await identityToken(identity, audience),
      };
    },
  });

type Options = Partial<
  Pick<
    GatewayDeps,
    | 'allowedOrigins'
    | 'auditExports'
    | 'budgetMs'
    | 'compressFromBytes'
    | 'heartbeatMs'
    | 'limits'
    | 'podLogs'
    | 'slowReaderMs'
    | 'tls'
    | 'trustedProxies'
  >
> & { nats?: TestNats; perMinute?: Partial<GatewayDeps['perMinute']> } & Partial<Pick<Closing, 'graceMs' | 'lingerMs'>>;

const usualLimits: GatewayDeps['perMinute'] = {
  failedCredentialsPerMinute: 300,
  signInsPerMinute: 300,
  requestsPerMinute: 6_000,
  anonymousRequestsPerMinute: 1_200,
  // The clock is stopped because the tests count whole minutes.
  burstSeconds: 60,
};

/** A busy machine may answer late. Tests of time limits set their own. */
const patienceMs = 30_000;
const patientLimits = {
  budgetMs: patienceMs,
  slotWaitsMs: { requests: patienceMs, largeBodies: patienceMs },
};

/** Starts the gateway on a port, and its own NATS server unless one is given. */
export async function startTestGateway({
  nats: joined,
  graceMs = 3_000,
  lingerMs = 0,
  ...options
}: Options = {}): Promise<TestGateway> {
  const nats = joined ?? (await startTestNats());
  const buses: Bus[] = [];
  const stopping = new AbortController();
  const metrics = new Registry();
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const log = createLog('api-gateway', { destination });

  const bus = await connectTestBus(nats, 'api-gateway', { log });
  buses.push(bus);
  bus.serve(implement(server, { get: async () => ({ version: '1.2.3' }) }));
  const ownUrl = 'https://berth.example.test';
  const app = await createGateway({
    bus,
    log,
    metrics,
    stopping: stopping.signal,
    version: '1.2.3',
    ownUrl,
    ...patientLimits,
    ...options,
    perMinute: { ...usualLimits, ...options.perMinute },
  });
  const closing = closingGracefully(app, { graceMs, lingerMs });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = app.listeningOrigin;
  const port = Number(new URL(url).port);

  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopping.abort();
    stopped ??= Promise.resolve(closing[Symbol.asyncDispose]());
    return stopped;
  };

  return {
    url,
    port,
    nats,
    app,
    metrics,
    logged: () => lines.map((line): Record<string, unknown> => JSON.parse(line)),
    announceStop: () => stopping.abort(),
    stop,
    async serve(owner, ...served) {
      const owning = await connectTestBus(nats, owner);
      buses.push(owning);
      for (const one of served) owning.serve(one);
      await owning.listening();
      return owning;
    },
    get: (path, init) => fetch(`${url}${path}`, { headers: { 'x-service-token': 'siteAdmin' }, ...init }),
    send: (method, path, body, headers) =>
      fetch(`${url}${path}`, {
        method,
        headers: {
          'x-service-token': 'siteAdmin',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    async raw(request) {
      const socket = connect(port, '127.0.0.1');
      const parts: Buffer[] = [];
      socket.on('data', (part: Buffer) => parts.push(part));
      socket.on('error', () => undefined);
      socket.write(request);
      await once(socket, 'close');
      return Buffer.concat(parts).toString();
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await Promise.all(buses.map((one) => one[Symbol.asyncDispose]()));
      if (!joined) await nats[Symbol.asyncDispose]();
    },
  };
}
