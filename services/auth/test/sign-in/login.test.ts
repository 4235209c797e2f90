import { randomUUID } from 'node:crypto';
import type { Claims } from '@berth/devstack/servers/oidc/create-provider';
import { envUserPermissions } from '@berth/contracts/resources/envs/env-user-permissions';
import { logins } from '@berth/contracts/resources/accounts/logins';
import { me } from '@berth/contracts/resources/accounts/me';
import { users } from '@berth/contracts/resources/accounts/users';
import { statement } from '@berth/db/statement';
import { decodeJwt } from 'jose';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type AuthUnderTest, ownUrl, startAuth } from '../support/auth-under-test.ts';
import { atTheProvider, finishLogin, logIn, startLogin } from '../support/login.ts';
import { newEnv, somebody } from '../support/people.ts';
import { type RealProvider, startRealProvider } from '../support/real-provider.ts';
import { malformed, refusal } from '../support/refusal.ts';

const redirectUri = `${ownUrl}/auth/idp/callback`;

let provider: RealProvider;
let auth: AuthUnderTest;
beforeAll(async () => {
  provider = await startRealProvider({ redirectUri });
  auth = await startAuth({
    OIDC_SERVER_URL: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    ADMIN_EMAILS: 'Boss@Example.Test second@example.test',
  });
});
afterAll(async () => {
  await auth[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

/** Adds a person to the provider; returns the subject. */
function person(claims: Partial<Claims> = {}): string {
  const sub = randomUUID();
  provider.people.set(sub, {
    sub,
    name: 'Ada Lovelace',
    email: `${sub}@example.test`,
    email_verified: true,
    ...claims,
  });
  return sub;
}

const whoIs = async (jwt: string) => {
  const { identity } = decodeJwt<{ identity: { User: string } }>(jwt);
  const admin = await somebody(auth, { is_admin: true });
  return admin.send(users.operations.get, { id: identity.User });
};

describe('a login', () => {
  test('redirects to the provider with state, nonce, PKCE and the registered address', async () => {
    const { redirect_url, state } = await auth.gateway.call(logins.operations.start, {});
    const { origin, searchParams } = new URL(redirect_url);

    expect(origin).toBe(provider.issuer);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: provider.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid profile email',
      state,
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  test('creates an inactive user who can finish the login but do nothing else', async () => {
    const jwt = await logIn(auth.gateway, person({ name: 'Grace Hopper' }));

    const user = await whoIs(jwt);

    expect(user).toMatchObject({ display_name: 'Grace Hopper', is_admin: false, is_active: false });
    await expect(auth.as({ jwt })(me.operations.get, {})).rejects.toEqual(refusal('user_inactive'));
  });

  test('creates a site admin from the configured addresses, ignoring case', async () => {
    const boss = person({ email: 'boss@example.test' });

    const jwt = await logIn(auth.gateway, boss);

    await expect(auth.as({ jwt })(me.operations.get, {})).resolves.toMatchObject({
      User: { email: 'boss@example.test', is_admin: true, is_active: true },
    });
  });

  test('finds the same user again, with the current name at the provider and the flags set in Berth', async () => {
    const sub = person({ name: 'Ada Byron' });
    const first = await whoIs(await logIn(auth.gateway, sub));
    const admin = await somebody(auth, { is_admin: true });
    await admin.send(users.operations.update, { id: first.id, body: { is_active: true } });

    provider.people.set(sub, { sub, name: 'Ada Lovelace', email: first.email, email_verified: true });
    const again = await whoIs(await logIn(auth.gateway, sub));

    expect(again).toEqual({ ...first, display_name: 'Ada Lovelace', is_active: true });
  });

  test('does not promote a demoted user again, even if the list has the address', async () => {
    const sub = person({ email: 'second@example.test' });
    const first = await whoIs(await logIn(auth.gateway, sub));
    const admin = await somebody(auth, { is_admin: true });
    await admin.send(users.operations.update, { id: first.id, body: { is_admin: false } });

    expect(await whoIs(await logIn(auth.gateway, sub))).toMatchObject({ id: first.id, is_admin: false });
  });

  test('adds new users, but not existing ones, to the envs that add users automatically', async () => {
    const env = await newEnv(auth.db, undefined, true);
    const other = await newEnv(auth.db);
    const sub = person();

    const user = await whoIs(await logIn(auth.gateway, sub));
    await logIn(auth.gateway, sub);

    const admin = await somebody(auth, { is_admin: true });
    const membersOf = (env_id: string) => admin.send(envUserPermissions.operations.list, { query: { env_id } });
    expect((await membersOf(env.id)).items).toMatchObject([{ user_id: user.id, role: 'User' }]);
    expect((await membersOf(other.id)).items).toEqual([]);
  });

  test('works without a challenge, for clients that cannot bind it to themselves', async () => {
    const attempt = await auth.gateway.call(logins.operations.start, {});
    const returned = await atTheProvider(attempt, person());

    const { access_token } = await finishLogin(auth.gateway, { ...returned, verifier: 'ignored-'.repeat(8) });

    expect(decodeJwt(access_token)).toMatchObject({ identity: { User: expect.any(String) } });
  });

  test('updates the address of a user, unless it is taken', async () => {
    const [sub, other] = [person(), person()];
    const first = await whoIs(await logIn(auth.gateway, sub));
    const { email: taken } = await whoIs(await logIn(auth.gateway, other));
    const named = { sub, name: 'Ada Lovelace', email_verified: true };

    provider.people.set(sub, { ...named, email: `New-${sub}@example.test` });
    const moved = await whoIs(await logIn(auth.gateway, sub));
    provider.people.set(sub, { ...named, email: taken });

    expect(moved).toEqual({ ...first, email: `New-${sub}@example.test` });
    await expect(logIn(auth.gateway, sub)).rejects.toEqual(refusal('login_refused', 'e-mail'));
  });
});

describe('a login of a terminal', () => {
  const describeLogin = (state: string) => auth.gateway.call(logins.operations.describe, { query: { state } });

  test.for([['127.0.0.1:51234'], ['screen']])('hands its code to %s, until it is used up', async ([handTo = '']) => {
    const { verifier, confirmation, ...attempt } = await startLogin(auth.gateway, handTo);
    const returned = await atTheProvider(attempt, person());

    expect(confirmation).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/);
    expect(await describeLogin(returned.state)).toEqual({ hand_to: handTo, confirmation });
    await expect(finishLogin(auth.gateway, { ...returned, verifier })).resolves.toMatchObject({});
    await expect(describeLogin(returned.state)).rejects.toEqual(refusal('invalid_login'));
  });

  test('shows another confirmation for each, and none for a state that nobody was given', async () => {
    const started = await Promise.all(Array.from({ length: 5 }, () => startLogin(auth.gateway, 'screen')));

    expect(new Set(started.map(({ confirmation }) => confirmation)).size).toBe(5);
    await expect(describeLogin(randomUUID())).rejects.toEqual(refusal('invalid_login'));
    const { state } = await startLogin(auth.gateway);
    expect(await describeLogin(state)).toMatchObject({ hand_to: null });
  });

  test.for([
    ['another host', '127.0.0.1.evil.test:51234'],
    ['a name', 'localhost:51234'],
    ['a host before an at sign', '127.0.0.1:51234@evil.test'],
    ['a path', '127.0.0.1:51234/x'],
    ['a whole address', 'http://127.0.0.1:51234'],
    ['a port of the system', '127.0.0.1:80'],
    ['no port that exists', '127.0.0.1:70000'],
    ['a second line', '127.0.0.1:51234\n'],
  ] as const)('cannot name %s', async ([, handTo]) => {
    await expect(startLogin(auth.gateway, handTo)).rejects.toEqual(refusal('invalid', '', 'query.hand_to'));
  });

  test('needs a challenge', async () => {
    const started = auth.gateway.call(logins.operations.start, { query: { hand_to: 'screen' } });

    await expect(started).rejects.toEqual(refusal('invalid', '', 'query.challenge'));
  });
});

test('two concurrent first logins make one user', async () => {
  const env = await newEnv(auth.db, undefined, true);
  const sub = person();
  const attempts = await Promise.all(Array.from({ length: 6 }, () => startLogin(auth.gateway)));
  const returned = await Promise.all(attempts.map((attempt) => atTheProvider(attempt, sub)));

  const jwts = await Promise.all(
    attempts.map(({ verifier }, n) =>
      finishLogin(auth.gateway, { auth_code: '', state: '', ...returned[n], verifier }),
    ),
  );

  const ids = jwts.map(({ access_token }) => decodeJwt<{ identity: { User: string } }>(access_token).identity.User);
  expect(new Set(ids).size).toBe(1);
  const admin = await somebody(auth, { is_admin: true });
  const query = { env_id: env.id };
  await expect(admin.send(envUserPermissions.operations.list, { query })).resolves.toMatchObject({ num_total: 1 });
});

describe('a login is refused if', () => {
  test.for([
    ['the e-mail is missing', { email: undefined }, 'no e-mail'],
    ['the e-mail is not verified', { email_verified: false }, 'not verified'],
  ] as const)('%s', async ([, claims, words]) => {
    await expect(logIn(auth.gateway, person(claims))).rejects.toEqual(refusal('login_refused', words));
  });

  test('another subject has the same e-mail', async () => {
    const email = `${randomUUID()}@example.test`;
    await logIn(auth.gateway, person({ email }));

    const other = person({ email: email.toUpperCase() });

    await expect(logIn(auth.gateway, other)).rejects.toEqual(refusal('login_refused', 'e-mail'));
  });

  test('the attempt is unknown or was used', async () => {
    const { verifier, ...attempt } = await startLogin(auth.gateway);
    const returned = await atTheProvider(attempt, person());

    await expect(finishLogin(auth.gateway, { ...returned, state: randomUUID(), verifier })).rejects.toEqual(
      refusal('invalid_login'),
    );
    await expect(finishLogin(auth.gateway, { ...returned, verifier })).resolves.toMatchObject({});
    await expect(finishLogin(auth.gateway, { ...returned, verifier })).rejects.toEqual(refusal('invalid_login'));
  });

  test('its code is posted twice at once, except for one of the two', async () => {
    const { verifier, ...attempt } = await startLogin(auth.gateway);
    const returned = await atTheProvider(attempt, person());
    const post = () => finishLogin(auth.gateway, { ...returned, verifier });

    const results = await Promise.allSettled([post(), post(), post()]);

    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('the attempt is older than ten minutes, which is its whole life', async () => {
    const before = await auth.db.oneFirst(sql.type(z.object({ at: z.string() }))`select clock_timestamp()::text as at`);
    const { verifier, ...attempt } = await startLogin(auth.gateway);
    const { lived, left } = await auth.db.one(sql.type(z.object({ lived: z.number(), left: z.number() }))`
      select extract(epoch from max(expires_at) - ${before}::timestamptz)::float as lived,
        extract(epoch from max(expires_at) - clock_timestamp())::float as left
      from login_attempts where used_at is null
    `);
    expect(lived).toBeGreaterThan(599);
    expect(left).toBeLessThan(601);
    const returned = await atTheProvider(attempt, person());
    await auth.db.query(statement`update login_attempts set expires_at = now() where used_at is null`);

    await expect(finishLogin(auth.gateway, { ...returned, verifier })).rejects.toEqual(refusal('invalid_login'));
  });

  test('the verifier is missing or of another browser; this uses up the attempt', async () => {
    const { verifier, ...attempt } = await startLogin(auth.gateway);
    const returned = await atTheProvider(attempt, person());

    await expect(finishLogin(auth.gateway, returned)).rejects.toEqual(refusal('invalid_login'));
    await expect(finishLogin(auth.gateway, { ...returned, verifier })).rejects.toEqual(refusal('invalid_login'));

    const second = await startLogin(auth.gateway);
    const theirs = await atTheProvider(second, person());
    await expect(finishLogin(auth.gateway, { ...theirs, verifier })).rejects.toEqual(refusal('invalid_login'));
  });

  test('the code was handed to a terminal, and its verifier is that of somebody else', async () => {
    const { verifier, ...attempt } = await startLogin(auth.gateway, '127.0.0.1:51234');
    const returned = await atTheProvider(attempt, person());
    const foreign = (await startLogin(auth.gateway, '127.0.0.1:51234')).verifier;

    await expect(finishLogin(auth.gateway, { ...returned, verifier: foreign })).rejects.toEqual(
      refusal('invalid_login'),
    );
    await expect(finishLogin(auth.gateway, { ...returned, verifier })).rejects.toEqual(refusal('invalid_login'));
  });

  test('the code belongs to another attempt', async () => {
    const [mine, theirs] = [await startLogin(auth.gateway), await startLogin(auth.gateway)];
    const { auth_code } = await atTheProvider(theirs, person());
    const { state, iss } = await atTheProvider(mine, person());

    await expect(finishLogin(auth.gateway, { auth_code, state, iss, verifier: mine.verifier })).rejects.toEqual(
      refusal('invalid_login'),
    );
  });

  test('the redirect names another issuer, or none', async () => {
    for (const iss of ['https://evil.test', undefined]) {
      const { verifier, ...attempt } = await startLogin(auth.gateway);
      const { auth_code, state } = await atTheProvider(attempt, person());
      const body = { auth_code, state, verifier, ...(iss !== undefined && { iss }) };
      await expect(finishLogin(auth.gateway, body)).rejects.toEqual(refusal('invalid_login'));
    }
  });

  test('it is malformed; this does not use up the attempt', async () => {
    const { verifier, ...attempt } = await startLogin(auth.gateway);
    const returned = await atTheProvider(attempt, person());
    const post = (change: object) => finishLogin(auth.gateway, malformed({ ...returned, verifier, ...change }));

    await expect(post({ auth_code: '' })).rejects.toEqual(refusal('invalid', '', 'body.auth_code'));
    await expect(post({ state: 1 })).rejects.toEqual(refusal('invalid', '', 'body.state'));
    await expect(post({ verifier: 'short' })).rejects.toEqual(refusal('invalid', '', 'body.verifier'));
    await expect(post({ extra: true })).rejects.toEqual(refusal('invalid', '', 'body.extra'));
    await expect(post({})).resolves.toMatchObject({ access_token: expect.any(String) });
  });
});

test('refused logins are events of the audit log, with the reason and the address', async () => {
  const refusals = () =>
    auth.db.any(sql.type(z.object({ result: z.string(), details: z.record(z.string(), z.unknown()) }))`
      select result, details from audit_log where action = 'refuse login' and details->>'address' = '192.0.2.9'
    `);
  const gateway: typeof auth.gateway = {
    ...auth.gateway,
    call: (operation, request) => auth.gateway.call(operation, request, { network: '192.0.2.9' }),
  };

  await logIn(gateway, person({ email_verified: false })).catch(() => undefined);
  for (let n = 0; n < 8; n += 1) {
    await finishLogin(gateway, { auth_code: 'x', state: `made-up-${n}` }).catch(() => undefined);
  }

  await vi.waitFor(async () => expect((await refusals()).length).toBeGreaterThanOrEqual(2));
  expect(await refusals()).toEqual(
    expect.arrayContaining([
      { result: 'denied', details: expect.objectContaining({ code: 'login_refused' }) },
      { result: 'denied', details: expect.objectContaining({ code: 'invalid_login', reason: expect.any(String) }) },
    ]),
  );
  // Repeated ones share one event, or two if a minute ended between them.
  expect((await refusals()).length).toBeLessThanOrEqual(4);
});

test('a login works with a provider that has names and e-mails only in its user info', async () => {
  await using plain = await startRealProvider({ redirectUri, claimsOnlyInUserInfo: true });
  await using other = await startAuth({
    OIDC_SERVER_URL: plain.issuer,
    OIDC_CLIENT_ID: plain.clientId,
    OIDC_CLIENT_SECRET: plain.clientSecret,
    ADMIN_EMAILS: 'ada@example.test',
  });
  plain.people.set('ada', { sub: 'ada', name: 'Ada Lovelace', email: 'ada@example.test', email_verified: true });

  const jwt = await logIn(other.gateway, 'ada');

  await expect(other.as({ jwt })(me.operations.get, {})).resolves.toMatchObject({
    User: { display_name: 'Ada Lovelace', email: 'ada@example.test', is_admin: true },
  });
});

test('while a provider is down logins fail and everything else works, and afterwards logins work again', async () => {
  await using late = await startRealProvider({ redirectUri });
  await late.stop();
  await using other = await startAuth({
    OIDC_SERVER_URL: late.issuer,
    OIDC_CLIENT_ID: late.clientId,
    OIDC_CLIENT_SECRET: late.clientSecret,
  });
  late.people.set('ada', { sub: 'ada', name: 'Ada', email: 'ada@example.test', email_verified: true });
  const ada = await somebody(other);

  await expect(startLogin(other.gateway)).rejects.toEqual(refusal('unavailable', 'identity provider'));
  await expect(ada.send(me.operations.get, {})).resolves.toMatchObject({ User: { id: ada.id } });
  await late.start();
  await expect(logIn(other.gateway, 'ada')).resolves.toEqual(expect.any(String));

  const { verifier, ...attempt } = await startLogin(other.gateway);
  const returned = await atTheProvider(attempt, 'ada');
  await late.stop();
  await expect(finishLogin(other.gateway, { ...returned, verifier })).rejects.toEqual(refusal('unavailable'));
});
