import { createIdentityVerifier } from '@berth/bus/identity-tokens/identity-verifier';
import { connectBus } from '@berth/bus/connect-bus';
import { auditRetention } from '@berth/db/audit/audit-retention';
import { createDeniedAttempts } from '@berth/db/audit/denied-attempts';
import { forgetIdempotencyKeys } from '@berth/db/idempotency/forget-idempotency-keys';
import { databaseIsUp, openDatabase } from '@berth/db/postgres/open-database';
import { outboxRelay } from '@berth/db/outbox/outbox-relay';
import { inTransactionOf } from '@berth/db/in-transaction';
import { every } from '@berth/service/loop';
import { readConfig } from '@berth/service/read-config';
import { runService } from '@berth/service/run-service';
import { auditEventHandlers } from './audit/audit-event-handlers.ts';
import { identityHandlers } from './authentication/identity-handlers.ts';
import { createTokenUse } from './authentication/token-use.ts';
import { botHandlers } from './bots/bot-handlers.ts';
import { Config, withAdminEmailFlags } from './config.ts';
import { deploymentPermissionHandlers } from './envs/deployment-permission-handlers.ts';
import { envMemberHandlers } from './envs/env-member-handlers.ts';
import { envHandlers } from './envs/env-handlers.ts';
import { createChangesRights } from './identity-leases/changes-rights.ts';
import { identityLeaseHandlers } from './identity-leases/identity-lease-handlers.ts';
import { createMakeGatewaysForget } from './identity-leases/make-gateways-forget.ts';
import { createLoginAttempts } from './sign-in/login-attempts.ts';
import { meHandlers } from './me/me-handlers.ts';
import { createCallingDeployments } from './tokens/calling-deployments.ts';
import { deploymentKindProjection } from './projections/deployment-kind-projection.ts';
import { createIdentityProvider } from './sign-in/identity-provider.ts';
import { loginHandlers } from './sign-in/login-handlers.ts';
import { openKeyRing } from './signing-keys/key-ring.ts';
import { signingKeyHandlers } from './signing-keys/signing-key-handlers.ts';
import { botTokenHandlers } from './bots/bot-token-handlers.ts';
import { deploymentTokenHandlers } from './tokens/deployment-token-handlers.ts';
import { createJwtIssuer } from './tokens/jwt-issuer.ts';
import { userTokenHandlers } from './tokens/user-token-handlers.ts';
import { storeOf } from './store.ts';
import { userHandlers } from './users/user-handlers.ts';

await runService('auth', async ({ log, metrics, use, loop, readiness, signal }) => {
  const config = readConfig(Config, withAdminEmailFlags(process.env, process.argv.slice(2)));
  const migrations = new URL('../migrations/', import.meta.url);
  const db = use(await openDatabase({ ...config.database, migrations, log, applicationName: 'auth', signal }));
  const denied = use(createDeniedAttempts({ db, log }));
  const tokenUse = use(createTokenUse({ db, log }));
  const keyRing = await openKeyRing({ db, ...config });
  const verifyIdentity = createIdentityVerifier({ fetchKeys: async () => keyRing.published() });
  const bus = use(
    await connectBus({ ...config.bus, caller: 'auth', log, metrics, signal, verifyIdentity, onDenied: denied.note }),
  );
  readiness('database', () => databaseIsUp(db));

  const inTransaction = inTransactionOf(db, storeOf);
  const callingDeployments = createCallingDeployments({ bus });
  const jwtIssuer = createJwtIssuer({ keyRing, ...config });
  const loginAttempts = createLoginAttempts({ db, ...config });
  const identityProvider = createIdentityProvider({ log, ...config });

  const makeGatewaysForget = createMakeGatewaysForget({ db, bus, log, metrics });
  const changesRights = createChangesRights(makeGatewaysForget);

  bus.serve(identityHandlers({ db, keyRing, tokenUse, callingDeployments, denied, ...config }));
  bus.serve(identityLeaseHandlers({ db }));
  bus.serve(auditEventHandlers({ db, bus }));
  bus.serve(signingKeyHandlers({ keyRing }));
  bus.serve(loginHandlers({ inTransaction, denied, identityProvider, loginAttempts, jwtIssuer, ...config }));
  bus.serve(meHandlers({ db, callingDeployments }));
  bus.serve(userHandlers({ db, inTransaction, changesRights }));
  bus.serve(userTokenHandlers({ db, inTransaction, changesRights }));
  bus.serve(botHandlers({ db, inTransaction, changesRights }));
  bus.serve(botTokenHandlers({ db, inTransaction, changesRights }));
  bus.serve(deploymentTokenHandlers({ callingDeployments, jwtIssuer }));
  bus.serve(envHandlers({ db, inTransaction, bus, changesRights }));
  bus.serve(envMemberHandlers({ db, inTransaction, changesRights }));
  bus.serve(deploymentPermissionHandlers({ db, inTransaction, changesRights }));

  loop('publish changes', outboxRelay({ db, bus, owner: 'auth', log }));
  loop('follow deployment kinds', deploymentKindProjection.follow({ db, bus }));
  loop('write when tokens were used', every(1_000, tokenUse.write));
  loop('record denied attempts', every(1_000, denied.write));
  loop('remove old audit events', auditRetention({ db, metrics, days: config.auditDays }));
  loop('rotate signing keys', every(10_000, keyRing.refresh));
  // Removes the leases of killed gateways even if no right changes.
  loop('remove ended identity leases', every(60 * 60_000, makeGatewaysForget));
  loop('forget idempotency keys', forgetIdempotencyKeys({ db }));
  loop('forget login attempts', every(60_000, loginAttempts.forgetExpired));
});
