import { createIdentityVerifier } from '@berth/bus/identity-tokens/identity-verifier';
import { inTransactionOf } from '@berth/db/in-transaction';
import { runOwnerService } from '@berth/db/owner/run-owner-service';
import { every } from '@berth/service/loop';
import { readConfig } from '@berth/service/read-config';
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

const start = {
  config: () => readConfig(Config, withAdminEmailFlags(process.env, process.argv.slice(2))),
  migrations: new URL('../migrations/', import.meta.url),
};

await runOwnerService('auth', start, async ({ db, denied, connect, log, metrics, use, loop }, config) => {
  const tokenUse = use(createTokenUse({ db, log }));
  const keyRing = await openKeyRing({ db, ...config });
  // By default the bus fetches these keys from auth, which is this process.
  const verifyIdentity = createIdentityVerifier({ fetchKeys: async () => keyRing.published() });
  const bus = await connect({ verifyIdentity });

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

  loop('follow deployment kinds', deploymentKindProjection.follow({ db, bus }));
  loop('write when tokens were used', every(1_000, tokenUse.write));
  loop('rotate signing keys', every(10_000, keyRing.refresh));
  // Removes the leases of killed gateways even if no right changes.
  loop('remove ended identity leases', every(60 * 60_000, makeGatewaysForget));
  loop('forget login attempts', every(60_000, loginAttempts.forgetExpired));
});
