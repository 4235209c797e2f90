import { randomBytes, randomUUID } from 'node:crypto';
import type { Bus } from '@berth/bus/bus';
import type { CallOptions } from '@berth/bus/rpc/call-options';
import type {
  CallerName,
  Operation,
  OperationSpec,
  RequestInput,
  ResponseOutput,
} from '@berth/contracts/definition/contract';
import { type Credential, identities } from '@berth/contracts/resources/accounts/identities';
import type { Database } from '@berth/db/database';
import { openTestDatabase } from '@berth/testing/open-test-database';
import { connectPatientTestBus } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import { openKeyRing } from '../../src/signing-keys/key-ring.ts';
import { createJwtIssuer, type JwtIssuer } from '../../src/tokens/jwt-issuer.ts';
import { type AuthProcess, startAuthProcess } from './auth-process.ts';

export const migrations = new URL('../../migrations/', import.meta.url);

/** Calls an operation with a credential after authenticating, like the gateway for every request. */
export type Send = <S extends OperationSpec>(
  operation: Operation<S>,
  request: RequestInput<S>,
  options?: Pick<CallOptions, 'ifMatch' | 'idempotencyKey'>,
) => Promise<ResponseOutput<S>>;

export interface AuthUnderTest extends AsyncDisposable {
  readonly db: Database;
  readonly nats: TestNats;
  readonly gateway: Bus;
  readonly jwtIssuer: JwtIssuer;
  readonly service: AuthProcess;
  readonly settings: Record<string, string>;
  /** A connection as another service. */
  connect(caller: CallerName): Promise<Bus>;
  as(credential: Credential): Send;
}

const provider = {
  OIDC_SERVER_URL: 'http://127.0.0.1:1',
  OIDC_CLIENT_ID: 'berth',
  OIDC_CLIENT_SECRET: 'client-secret-of-the-test',
  OIDC_ALLOW_HTTP: 'true',
};

export const ownUrl = 'http://berth.test';

/** The service with its own database and NATS server. */
export async function startAuth(given: Record<string, string> = {}): Promise<AuthUnderTest> {
  await using stack = new AsyncDisposableStack();
  const { db, url } = stack.use(await openTestDatabase({ service: 'auth', migrations }));
  const nats = stack.use(await startTestNats());
  const keyEncryptionKey = randomBytes(32);
  const settings = {
    ...provider,
    NATS_URL: nats.url,
    NATS_PASSWORD: nats.password,
    DATABASE_URL: url,
    KEY_ENCRYPTION_KEY: keyEncryptionKey.toString('base64'),
    SERVICE_OWN_URL: ownUrl,
    ...given,
  };
  const service = stack.use(await startAuthProcess(settings));
  const keyRing = await openKeyRing({ db, keyEncryptionKey, maxKeyAgeDays: 90 });
  const gateway = stack.use(await connectPatientTestBus(nats, 'api-gateway'));
  // From here on, the test closes them; before, a failed start closes them itself.
  const opened = stack.move();

  return {
    db,
    nats,
    gateway,
    service,
    settings,
    jwtIssuer: createJwtIssuer({ keyRing, ownUrl, sessionSeconds: 604_800, deploymentTokenSeconds: 3_600 }),
    connect: async (caller) => opened.use(await connectPatientTestBus(nats, caller)),
    as: (credential) => async (operation, request, options) => {
      const requestId = randomUUID();
      const body = { body: { credential, audience: operation.owner } };
      const { identity_token } = await gateway.call(identities.operations.authenticate, body, { requestId });
      return gateway.call(operation, request, { identityToken: identity_token, requestId, ...options });
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
