import type { Bus } from '@berth/bus/bus';
import type { Resource } from '@berth/contracts/definition/contract';
import { resources as allResources } from '@berth/contracts/resources/index';
import type { Service } from '@berth/service/service';
import type { FastifyInstance } from 'fastify';
import { Attempts } from './attempts/attempts.ts';
import { KnownCredentials } from './attempts/known-credentials.ts';
import { networkOf } from './attempts/network-of.ts';
import { shareAttempts } from './attempts/share-attempts.ts';
import { createStartedSignIns } from './attempts/started-sign-ins.ts';
import { authenticateBy } from './authentication/authenticate.ts';
import { presentsCredential } from './authentication/credential-of.ts';
import type { LeasedIdentities } from './authentication/leases/leased-identities.ts';
import { requireCredentialBy } from './authentication/require-credential.ts';
import { limitAddresses } from './limits/limit-addresses.ts';
import { onlyForLargeBodies, slotsOfIdentity } from './limits/slots-of-identity.ts';
import { RequestLimit } from './limits/request-limit.ts';
import { compressLists } from './http/compression/compress-lists.ts';
import { type AuditExportDeps, auditExportRoute } from './routes/audit-export-route.ts';
import { createHttpServer, type HttpServerDeps } from './http/create-http-server.ts';
import { type EventRouteDeps, eventRoute } from './routes/event-route.ts';
import { collectMethods, refuseOtherMethods } from './http/refuse-other-methods.ts';
import { consoleRoutes } from './routes/console-routes.ts';
import { documentationRoutes } from './routes/documentation-routes.ts';
import { healthRoutes } from './routes/health-routes.ts';

import { type PodLogDeps, podLogRoute } from './routes/pod-log-route.ts';
import { type RouteDeps, routesFromContracts } from './routes/routes-from-contracts.ts';
import { type TaskLogDeps, taskLogRoute } from './routes/task-log-route.ts';

/** 0: no limit. */
interface Limits {
  /** Per address, at all replicas together. */
  failedCredentialsPerMinute: number;
  signInsPerMinute: number;
  /** Per identity, or per address for requests without one, at each replica. */
  requestsPerMinute: number;
  anonymousRequestsPerMinute: number;
  /** A burst may use the requests of this many seconds. */
  burstSeconds: number;
  now?: () => number;
}

export interface GatewayDeps
  extends Pick<Service, 'log' | 'metrics'>,
    Pick<RouteDeps, 'budgetMs'>,
    Pick<TaskLogDeps, 'limits' | 'slowReaderMs'>,
    Pick<EventRouteDeps, 'heartbeatMs'>,
    Pick<PodLogDeps, 'podLogs'>,
    Pick<AuditExportDeps, 'auditExports'>,
    Pick<HttpServerDeps, 'tls' | 'allowedOrigins' | 'connections'> {
  bus: Pick<Bus, 'call' | 'callForBytes' | 'events' | 'hints' | 'identify' | 'isAlive' | 'isConnected' | 'isAnswering'>;
  stopping: AbortSignal;
  version: string;
  ownUrl: string;
  /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted; by default none. */
  trustedProxies?: readonly string[];
  perMinute: Limits;
  /** How long a request waits for a slot of its identity. */
  slotWaitsMs?: { requests: number; largeBodies: number };
  /** Lists of at least this size are compressed for clients that accept it; 0, the default, turns compression off. */
  compressFromBytes?: number;
  identities?: LeasedIdentities;
  resources?: readonly Resource[];
}

/** Creates the HTTP server with its checks and all routes. It does not listen yet. */
export async function createGateway({ resources = allResources, ...deps }: GatewayDeps): Promise<FastifyInstance> {
  const { failedCredentialsPerMinute, signInsPerMinute, requestsPerMinute, anonymousRequestsPerMinute, ...burst } =
    deps.perMinute;
  const clock = burst.now && { now: burst.now };
  const failures = attemptsOf('credentials', failedCredentialsPerMinute);
  const signIns = attemptsOf('sign_ins', signInsPerMinute);
  const share = shareAttempts({
    hints: deps.bus.hints,
    attempts: { credentials: failures, sign_ins: signIns },
    signal: deps.stopping,
  });
  const credentials = new KnownCredentials();
  const authentication = { ...deps, failures, known: credentials };
  const authenticate = authenticateBy(authentication);
  // Open streams are authenticated again at their own intervals.
  const authenticateNow = authenticateBy({ ...authentication, identities: undefined });
  const requests = new RequestLimit({ by: 'identity', perMinute: requestsPerMinute, ...burst });
  const byAddress = () => new RequestLimit({ by: 'address', perMinute: anonymousRequestsPerMinute, ...burst });
  const requireCredential = requireCredentialBy({
    authenticate,
    known: credentials,
    requests,
    // Counted separately, so that a flood of public routes does not block new tokens from the same address.
    refusals: byAddress(),
  });
  const app = createHttpServer(deps);
  const addresses = byAddress();
  limitAddresses(app, { addresses, networkOf, presentsCredential });
  const known = collectMethods(app);

  healthRoutes(app, { ...deps.bus, ...deps });
  consoleRoutes(app);
  documentationRoutes(app, { ...deps, resources });
  const compress = compressLists({ fromBytes: deps.compressFromBytes ?? 0 });
  const waits = deps.slotWaitsMs ?? { requests: 5_000, largeBodies: 10_000 };
  const slots = slotsOfIdentity({ most: 16, patienceMs: waits.requests, what: 'requests' });
  const large = slotsOfIdentity({ most: 1, patienceMs: waits.largeBodies, what: 'large bodies' });
  const ofContracts = {
    authenticate,
    requireCredential,
    signIns: { attempts: signIns, addresses, started: createStartedSignIns(deps.bus.hints, deps.stopping) },
    compress,
    slots,
    largeBodies: onlyForLargeBodies(large),
  };
  routesFromContracts(app, resources, { ...deps, ...ofContracts });
  taskLogRoute(app, { ...deps, authenticate: authenticateNow, requireCredential });
  eventRoute(app, { ...deps, authenticate: authenticateNow, requireCredential, resources });
  podLogRoute(app, { ...deps, authenticate: authenticateNow, requireCredential });
  auditExportRoute(app, { ...deps, authenticate: authenticateNow, requireCredential });
  // Plugins register the routes of their files when they load.
  await app.after();
  refuseOtherMethods(app, known);
  return app;

  function attemptsOf(what: 'credentials' | 'sign_ins', perMinute: number): Attempts {
    const onUsedUp = (network: string) =>
      deps.log.warn({ network, per_minute: perMinute }, `too many ${what.replace('_', '-')} from one address`);
    return new Attempts({ perMinute, onUsedUp, onCount: (network) => share(what, network), ...clock });
  }
}
