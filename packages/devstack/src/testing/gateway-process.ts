import { fileURLToPath } from 'node:url';
import { type Credential, createSend, unwrap } from '@berth/client';
import { httpOperation } from '@berth/client/http-operation';
import type { ServiceName } from '@berth/contracts/definition/contract';
import { implement } from '@berth/bus/rpc/implement';
import { identities } from '@berth/contracts/resources/accounts/identities';
import { AppError } from '@berth/contracts/errors';
import { freePort } from '@berth/testing/network/free-port';
import { startNode } from '@berth/testing/node-process';
import { recordOutcome } from '@berth/testing/contracts/outcomes';
import { connectTestBus } from '@berth/testing/test-bus';
import { identityToken, sampleIdentities } from '@berth/testing/test-identities';
import type { TestNats } from '@berth/testing/test-nats';
import type { CallOperation } from '@berth/testing/contracts/walk-list';

const main = fileURLToPath(new URL('../../../../services/api-gateway/src/main.ts', import.meta.url));

export interface GatewayProcess extends AsyncDisposable {
  readonly url: string;
  /** To pause it. */
  readonly pid: number;
  /** Its metrics as text. */
  metrics(): Promise<string>;
  /** Operations as HTTP requests with a credential; problems are thrown as `ProblemError`. */
  as(credential: Credential): CallOperation;
}

/** The gateway as in production, started from its main.ts on the bus of a test. */
export async function startGatewayProcess(
  nats: Pick<TestNats, 'url' | 'password'>,
  given: Record<string, string> = {},
): Promise<GatewayProcess> {
  const [port, healthPort] = [await freePort(), await freePort()];
  const baseUrl = `http://127.0.0.1:${port}`;
  const { pid, kill, untilReady } = startNode([main], {
    NATS_URL: nats.url,
    NATS_PASSWORD: nats.password,
    SERVICE_OWN_URL: baseUrl,
    ...given,
    PORT: String(port),
    HEALTH_PORT: String(healthPort),
  });
  // `fetch` does not trust certificates of tests.
  const sign = given['TLS_FOLDER'] === undefined ? `${baseUrl}/api/v2/server` : `http://127.0.0.1:${healthPort}/readyz`;
  const isReady = async () => (await fetch(sign).catch(() => null))?.ok ?? false;
  await untilReady('the gateway', isReady);
  return {
    url: baseUrl,
    pid,
    metrics: async () => (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text(),
    as: (credential) => {
      const send = createSend({ baseUrl, credential: () => credential, timeoutMs: 30_000 });
      return async (operation, request) => {
        const call = httpOperation(operation);
        if (!call) throw new Error(`${operation.resource}.${operation.name} has no HTTP route`);
        const answer = await send(call, request, {});
        recordOutcome(operation, answer.ok ? 200 : answer.problem.status);
        return unwrap(answer);
      };
    },
    [Symbol.asyncDispose]: async () => {
      await kill('SIGKILL');
    },
  };
}

/** The answer of auth if every credential is that of a site admin. */
export const authenticateAsSiteAdmin = async ({ body }: { body: { audience: ServiceName } }) => {
  const { siteAdmin } = sampleIdentities;
  const { kind, id } = siteAdmin;
  return { identity: { kind, id }, identity_token: await identityToken(siteAdmin, body.audience) };
};

/** A stub of auth for a bus without it. */
export async function startSiteAdminAuth(nats: TestNats): Promise<AsyncDisposable> {
  const auth = await connectTestBus(nats, 'auth');
  const current = () => Promise.reject(new AppError('not_implemented', 'current'));
  auth.serve(implement(identities, { authenticate: authenticateAsSiteAdmin, current }));
  return auth;
}
