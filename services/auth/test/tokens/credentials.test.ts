import { randomBytes, randomUUID } from 'node:crypto';
import { unpackIdentity } from '@berth/bus/identity-tokens/pack-identity';
import { PackedIdentity } from '@berth/contracts/access/packed-identity';
import type { Bus } from '@berth/bus/bus';
import { limits } from '@berth/bus/protocol/limits';
import type { CallOptions } from '@berth/bus/rpc/call-options';
import { bots } from '@berth/contracts/resources/accounts/bots';
import { deploymentTokens } from '@berth/contracts/resources/deployments/deployment-tokens';
import { signingKeys } from '@berth/contracts/resources/accounts/signing-keys';
import { type Authenticated, type Credential, identities } from '@berth/contracts/resources/accounts/identities';
import { me } from '@berth/contracts/resources/accounts/me';
import { userTokens } from '@berth/contracts/resources/accounts/user-tokens';
import { users } from '@berth/contracts/resources/accounts/users';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiToken } from '../../src/tokens/api-token.ts';
import { type AuthUnderTest, ownUrl, startAuth } from '../support/auth-under-test.ts';
import {
  deploymentsIn,
  haveDeployment,
  newDeployment,
  somebot,
  somedeployment,
} from '../support/bots-and-deployments.ts';
import { newEnv, type Somebody, somebody } from '../support/people.ts';
import { refusal } from '../support/refusal.ts';
import { inStore } from '../support/in-store.ts';

let auth: AuthUnderTest;
let tasks: Bus;
let clusterSync: Bus;
let admin: Somebody;

beforeAll(async () => {
  auth = await startAuth();
  tasks = await auth.connect('tasks');
  clusterSync = await auth.connect('cluster-sync');
  admin = await somebody(auth, { is_admin: true });
});
afterAll(() => auth[Symbol.asyncDispose]());

const authenticate = (credential: Credential, options: CallOptions = {}) =>
  auth.gateway.call(identities.operations.authenticate, { body: { credential, audience: 'tasks' } }, options);

const signedIn = ({ identity_token }: Authenticated) =>
  unpackIdentity(PackedIdentity.parse(decodeJwt(identity_token)['identity']));

async function tokenOf(user: Somebody, expires_at: string | null = null): Promise<{ id: string; text: string }> {
  const { id, secretHash, text } = newApiToken();
  await inStore(auth.db, ({ userTokens }) =>
    userTokens.insert({ id, user_id: user.id, name: null, expires_at, secretHash }),
  );
  return { id, text };
}

describe('the identity behind a credential', () => {
  test('contains the current roles, for a token as for a session', async () => {
    const env = await newEnv(auth.db);
    const ada = await somebody(auth, { roles: { [env.id]: 'Admin' } });
    const kind_id = randomUUID();
    const role = { env_id: env.id, user_id: ada.id, kind_id, role: 'Owner' } as const;
    await inStore(auth.db, ({ deploymentPermissions }) => deploymentPermissions.insert(role));
    const { text } = await tokenOf(ada);

    const [byToken, byJwt] = [await authenticate({ token: text }), await authenticate({ jwt: ada.jwt })];

    expect(byToken.identity).toEqual({ kind: 'user', id: ada.id });
    expect(signedIn(byToken)).toEqual({
      kind: 'user',
      id: ada.id,
      is_admin: false,
      env_roles: { [env.id]: 'Admin' },
      deployment_roles: [{ env_id: env.id, kind_id, role: 'Owner' }],
    });
    expect(byJwt.identity).toEqual(byToken.identity);
    expect(signedIn(byJwt)).toEqual(signedIn(byToken));
  });

  test('is signed once while nothing changes, and again after a change', async () => {
    const ada = await somebody(auth);

    const first = await authenticate({ jwt: ada.jwt });
    const second = await authenticate({ jwt: ada.jwt });
    await admin.send(users.operations.update, { id: ada.id, body: { is_admin: true } });
    const third = await authenticate({ jwt: ada.jwt });

    expect(second.identity_token).toBe(first.identity_token);
    expect(third.identity_token).not.toBe(first.identity_token);
    expect(signedIn(third)).toMatchObject({ is_admin: true });
  });

  test('is shown to its caller at both addresses', async () => {
    const ada = await somebody(auth, { display_name: 'Ada' });
    const bot = await somebot(auth);
    const env = await newEnv(auth.db);
    const deployment = await somedeployment(auth, tasks, clusterSync, env.id);
    const { id, name, env_id } = deployment;

    for (const operation of [me.operations.get, me.operations.get_as_user]) {
      await expect(ada.send(operation, {})).resolves.toMatchObject({ User: { id: ada.id, email: ada.email } });
      await expect(bot.send(operation, {})).resolves.toEqual({
        Bot: { id: bot.id, created_at: bot.created_at, display_name: bot.display_name, is_active: true },
      });
      await expect(deployment.send(operation, {})).resolves.toEqual({ Deployment: { id, name, env_id } });
    }
  });
});

describe('the identity of an absent requester', () => {
  const current = (kind: 'user' | 'bot', id: string) =>
    tasks.call(identities.operations.current, { body: { kind, id } });

  test('contains the current roles, or the reason why there is none', async () => {
    const env = await newEnv(auth.db);
    const ada = await somebody(auth, { roles: { [env.id]: 'User' } });
    const bot = await somebot(auth);
    const ends = { user: users.operations.update, bot: bots.operations.update };

    const known = await current('user', ada.id);
    expect('identity' in known && unpackIdentity(known.identity)).toEqual({
      kind: 'user',
      id: ada.id,
      is_admin: false,
      env_roles: { [env.id]: 'User' },
      deployment_roles: [],
    });
    expect(await current('bot', bot.id)).toEqual({ identity: { kind: 'bot', id: bot.id } });
    await admin.send(ends.user, { id: ada.id, body: { is_active: false } });
    await admin.send(ends.bot, { id: bot.id, body: { is_active: false } });
    expect(await current('user', ada.id)).toEqual({ missing: 'inactive' });
    expect(await current('bot', bot.id)).toEqual({ missing: 'inactive' });
    await admin.send(bots.operations.delete, { id: bot.id });
    expect(await current('bot', bot.id)).toEqual({ missing: 'unknown' });
    expect(await current('user', bot.id)).toEqual({ missing: 'unknown' });
  });
});

describe('an API token', () => {
  test('is refused with the same message if it is malformed, unknown or has a wrong secret', async () => {
    const ada = await somebody(auth);
    const { text } = await tokenOf(ada);
    const [id = '', secret = ''] = text.split('.');
    const [, otherSecret = ''] = newApiToken().text.split('.');
    const wrong = [
      '',
      id,
      '.',
      `${id}.`,
      `${text}.`,
      `${text}=`,
      `${id}.${secret.slice(1)}+`,
      'x'.repeat(4_000),
      ada.jwt,
    ];

    const refusals = await Promise.all(
      [...wrong, `${id}.${otherSecret}`, newApiToken().text].map((token) =>
        authenticate({ token }).then(
          () => 'let through',
          (error: Error & { code: string }) => `${error.code}: ${error.message}`,
        ),
      ),
    );

    expect(new Set(refusals)).toEqual(new Set(['unauthenticated: The credential is missing or not valid']));
  });

  test('is refused as revoked or expired only if the secret is right', async () => {
    const ada = await somebody(auth);
    const revoked = await tokenOf(ada);
    const expired = await tokenOf(ada, new Date(Date.now() + 4_000).toISOString());
    await ada.send(userTokens.operations.delete, { id: revoked.id });
    const forged = (text: string) => `${text.split('.')[0]}.${randomBytes(32).toString('base64url')}`;

    await expect(authenticate({ token: revoked.text })).rejects.toEqual(refusal('token_revoked'));
    await expect(authenticate({ token: forged(revoked.text) })).rejects.toEqual(refusal('unauthenticated'));
    await expect
      .poll(() => authenticate({ token: expired.text }).catch((error: Error) => error))
      .toEqual(refusal('token_expired'));
    await expect(authenticate({ token: forged(expired.text) })).rejects.toEqual(refusal('unauthenticated'));
  });
});

describe('a session', () => {
  test('fails on the next request after its user is deactivated', async () => {
    const ada = await somebody(auth);
    await expect(ada.send(me.operations.get, {})).resolves.toMatchObject({ User: { id: ada.id } });

    await admin.send(users.operations.update, { id: ada.id, body: { is_active: false } });

    await expect(ada.send(me.operations.get, {})).rejects.toEqual(refusal('user_inactive'));
  });

  test('has the specified claims and lasts seven days', () => {
    const { jwt, id } = admin;
    const claims = decodeJwt(jwt);

    expect(decodeProtectedHeader(jwt)).toEqual({ alg: 'EdDSA', typ: 'session+jwt', kid: expect.any(String) });
    expect(claims).toMatchObject({ iss: ownUrl, aud: ownUrl, identity: { User: id }, jti: expect.any(String) });
    expect(claims.nbf).toBe(claims.iat);
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(604_800);
  });
});

describe('a deployment', () => {
  test('calls back as itself for an hour, in its env', async () => {
    const env = await newEnv(auth.db);
    const deployment = await somedeployment(auth, tasks, clusterSync, env.id);

    const identity = signedIn(await authenticate({ jwt: deployment.jwt }));
    const claims = decodeJwt(deployment.jwt);

    expect(identity).toEqual({ kind: 'deployment', id: deployment.id, env_id: env.id });
    expect(claims).toMatchObject({ identity: { Deployment: deployment.id }, env_id: env.id });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3_600);
  });

  test('is refused while it is disabled and once it is deleted; a rename changes nothing', async () => {
    const env = await newEnv(auth.db);
    const row = newDeployment(env.id);
    await haveDeployment(tasks, row);
    const { access_token: jwt } = await clusterSync.call(deploymentTokens.operations.issue, {
      body: { deployment_id: row.id, env_id: env.id },
    });

    await haveDeployment(tasks, { ...row, name: 'renamed' });
    await expect(authenticate({ jwt })).resolves.toMatchObject({ identity: { id: row.id } });
    await haveDeployment(tasks, { ...row, enabled: false });
    await expect(authenticate({ jwt })).rejects.toEqual(refusal('token_revoked', 'disabled'));
    await haveDeployment(tasks, row);
    await expect(authenticate({ jwt })).resolves.toMatchObject({ identity: { id: row.id } });
    await haveDeployment(tasks, { ...row, env_id: (await newEnv(auth.db)).id });
    await expect(authenticate({ jwt })).rejects.toEqual(refusal('token_revoked', 'another env'));
    (await deploymentsIn(tasks)).rows.delete(row.id);
    await expect(authenticate({ jwt })).rejects.toEqual(refusal('token_revoked', 'deleted'));
  });

  test('is answered with unavailable while tasks cannot confirm it', async () => {
    const env = await newEnv(auth.db);
    const { id, jwt } = await somedeployment(auth, tasks, clusterSync, env.id);
    const deployments = await deploymentsIn(tasks);

    deployments.isAway = true;
    try {
      await expect(authenticate({ jwt })).rejects.toEqual(refusal('unavailable', 'could not be confirmed'));
    } finally {
      deployments.isAway = false;
    }
    await expect(authenticate({ jwt })).resolves.toMatchObject({ identity: { id } });
  });

  test('does not block users and bots while tasks hangs and hundreds of deployments call', async () => {
    const env = await newEnv(auth.db);
    const { jwt } = await somedeployment(auth, tasks, clusterSync, env.id);
    const deployments = await deploymentsIn(tasks);
    const { promise, resolve } = Promise.withResolvers<void>();

    deployments.holdUntil = promise;
    const before = deployments.arrived;
    try {
      let refused = 0;
      const calls = Array.from({ length: limits.requestsInFlight }, () =>
        authenticate({ jwt }, { deadlineMs: 60_000 }).catch((error: unknown) => {
          refused += 1;
          return error;
        }),
      );
      // As they arrive, the calls fill every slot; afterwards, only those that wait for tasks hold one.
      await expect
        .poll(() => refused + deployments.arrived - before, { interval: 5 })
        .toBeGreaterThanOrEqual(limits.requestsInFlight);
      await expect(authenticate({ jwt: admin.jwt })).resolves.toMatchObject({ identity: { id: admin.id } });
      const refusals = await Promise.all(calls);
      expect(refusals).toEqual(refusals.map(() => refusal('unavailable', 'could not be confirmed')));
    } finally {
      resolve();
      deployments.holdUntil = undefined;
    }
  });

  test('gets no token if it is unknown, disabled or in another env than its namespace', async () => {
    const env = await newEnv(auth.db);
    const row = newDeployment(env.id);
    const issue = (deployment_id: string, env_id = env.id) =>
      clusterSync.call(deploymentTokens.operations.issue, { body: { deployment_id, env_id } });

    await haveDeployment(tasks, row);
    await expect(issue(randomUUID())).rejects.toEqual(refusal('not_found'));
    await expect(issue(row.id, (await newEnv(auth.db)).id)).rejects.toEqual(refusal('conflict', 'another env'));
    await haveDeployment(tasks, { ...row, enabled: false });
    await expect(issue(row.id)).rejects.toEqual(refusal('conflict', 'disabled'));
  });

  test("gets its token with the address of the platform and the token's lifetime", async () => {
    const row = newDeployment((await newEnv(auth.db)).id);
    await haveDeployment(tasks, row);
    const body = { deployment_id: row.id, env_id: row.env_id };

    const issued = await clusterSync.call(deploymentTokens.operations.issue, { body });

    expect(issued).toMatchObject({ server_url: ownUrl, lifetime_seconds: 3_600 });
    expect(Date.parse(issued.expires_at) / 1000).toBe(decodeJwt(issued.access_token).exp);
  });
});

describe('a token for a call into a deployment', () => {
  const call = { method: 'POST', path: '/restart' };
  const issue = (deployment_id: string) =>
    tasks.call(deploymentTokens.operations.issue_for_call, { body: { deployment_id, ...call } });

  test('can be verified by the workload with the published keys, is valid only for it, and lasts five minutes', async () => {
    const row = newDeployment((await newEnv(auth.db)).id);
    await haveDeployment(tasks, row);

    const { access_token } = await issue(row.id);
    const keys = createLocalJWKSet(await auth.gateway.call(signingKeys.operations.list, {}));
    const { payload, protectedHeader } = await jwtVerify(access_token, keys, { audience: row.id, typ: 'call+jwt' });

    expect(protectedHeader).toMatchObject({ alg: 'EdDSA' });
    expect(payload).toEqual({
      iss: decodeJwt(admin.jwt).iss,
      aud: row.id,
      env_id: row.env_id,
      call,
      iat: expect.any(Number),
      nbf: payload.iat,
      exp: (payload.iat ?? 0) + 300,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    await expect(jwtVerify(access_token, keys, { audience: randomUUID() })).rejects.toThrow('"aud"');
  });

  test('is not accepted by the platform', async () => {
    const row = newDeployment((await newEnv(auth.db)).id);
    await haveDeployment(tasks, row);
    const { access_token: jwt } = await issue(row.id);

    await expect(authenticate({ jwt })).rejects.toEqual(refusal('unauthenticated'));
    await expect(authenticate({ token: jwt })).rejects.toEqual(refusal('unauthenticated'));
  });

  test('is issued for enabled deployments only, and to the service tasks only', async () => {
    const row = { ...newDeployment((await newEnv(auth.db)).id), enabled: false };
    await haveDeployment(tasks, row);
    const body = { deployment_id: row.id, ...call };

    await expect(issue(randomUUID())).rejects.toEqual(refusal('not_found'));
    await expect(issue(row.id)).rejects.toEqual(refusal('conflict', 'disabled'));
    await expect(clusterSync.call(deploymentTokens.operations.issue_for_call, { body })).rejects.toThrow(
      'NATS does not allow cluster-sync',
    );
  });
});

test('only the gateway may authenticate a credential', async () => {
  const body = { credential: { jwt: admin.jwt }, audience: 'tasks' } as const;

  await expect(tasks.call(identities.operations.authenticate, { body })).rejects.toThrow('NATS does not allow tasks');
  await expect(authenticate({ jwt: admin.jwt })).resolves.toMatchObject({ identity: { id: admin.id } });
});
