import { randomUUID } from 'node:crypto';
import { etagOf } from '@berth/bus/rpc/etag';
import { tokenIdIn } from '@berth/contracts/resources/accounts/api-token';
import { botTokens } from '@berth/contracts/resources/accounts/bot-tokens';
import { me } from '@berth/contracts/resources/accounts/me';
import { userTokens } from '@berth/contracts/resources/accounts/user-tokens';
import { users } from '@berth/contracts/resources/accounts/users';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createBotTokenRepository } from '../../src/bots/bot-token-repository.ts';
import { type AuthUnderTest, startAuth } from '../support/auth-under-test.ts';
import { somebot } from '../support/bots-and-deployments.ts';
import { type Somebody, somebody } from '../support/people.ts';
import { malformed, refusal } from '../support/refusal.ts';

const { list, create, get, delete: revoke } = userTokens.operations;

let auth: AuthUnderTest;
let admin: Somebody;
beforeAll(async () => {
  auth = await startAuth();
  admin = await somebody(auth, { is_admin: true });
});
afterAll(() => auth[Symbol.asyncDispose]());

const idOf = (token: string): string => tokenIdIn(token) ?? '';

test('a user token authenticates its user, and its secret is only in the first answer', async () => {
  const ada = await somebody(auth);

  const { created_token } = await ada.send(create, { body: { user_id: null, name: 'laptop' } });
  const { items } = await ada.send(list, {});

  expect(items).toEqual([
    {
      id: idOf(created_token),
      user_id: ada.id,
      created_at: expect.any(String),
      name: 'laptop',
      expires_at: null,
      last_used_at: null,
    },
  ]);
  await expect(auth.as({ token: created_token })(me.operations.get, {})).resolves.toMatchObject({
    User: { id: ada.id },
  });
});

test('a user has at most a hundred tokens, however many requests ask at once; a revoked one makes room', async () => {
  const ada = await somebody(auth);
  const ask = () => ada.send(create, { body: { user_id: null } });
  const tokens: string[] = [];
  for (let n = 0; n < 97; n += 1) tokens.push((await ask()).created_token);

  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, ask));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  await expect(ask()).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('at most 100 tokens'),
  });
  await expect(admin.send(create, { body: { user_id: ada.id } })).rejects.toMatchObject({ code: 'conflict' });
  await expect(admin.send(create, { body: { user_id: null } })).resolves.toBeDefined();

  await ada.send(revoke, { id: idOf(tokens[0] ?? '') });
  await expect(ask()).resolves.toBeDefined();
});

test('a site admin creates, reads and revokes user tokens of others', async () => {
  const ada = await somebody(auth);

  const { created_token } = await admin.send(create, { body: { user_id: ada.id } });
  const id = idOf(created_token);

  await expect(admin.send(get, { id })).resolves.toMatchObject({ id, user_id: ada.id });
  await expect(admin.send(list, { query: { user_id: ada.id } })).resolves.toMatchObject({ num_total: 1 });
  await expect(admin.send(revoke, { id })).resolves.toBeNull();
  await expect(auth.as({ token: created_token })(me.operations.get, {})).rejects.toEqual(refusal('token_revoked'));
});

test('tokens of users and bots are revoked only with their ETag, which their use does not change', async () => {
  const token = await admin.send(create, { body: { user_id: null } });
  const userToken = { resource: userTokens, id: idOf(token.created_token), token: token.created_token };
  const bot = await somebot(auth);
  const botToken = { resource: botTokens, id: bot.tokenId, token: bot.token };

  for (const { resource, id, token } of [userToken, botToken]) {
    const { get: read, delete: revoke } = resource.operations;
    const ifMatch = etagOf(resource, await admin.send(read, { id })) ?? '';
    await auth.as({ token })(me.operations.get, {});
    const isUsed = async () =>
      expect(await admin.send(read, { id })).toMatchObject({ last_used_at: expect.any(String) });
    await vi.waitFor(isUsed);

    await expect(admin.send(revoke, { id }, { ifMatch: '"other"' })).rejects.toEqual(refusal('stale'));
    await expect(admin.send(revoke, { id }, { ifMatch })).resolves.toBeNull();
  }
});

test('other users can neither create, read nor revoke a user token', async () => {
  const [ada, eve] = [await somebody(auth), await somebody(auth)];
  const bot = await somebot(auth);
  const id = idOf((await ada.send(create, { body: { user_id: null } })).created_token);

  await expect(eve.send(create, { body: { user_id: ada.id } })).rejects.toEqual(refusal('forbidden'));
  for (const { send } of [eve, bot]) {
    await expect(send(get, { id })).rejects.toEqual(refusal('not_found', 'No such user token'));
    await expect(send(revoke, { id })).rejects.toEqual(refusal('not_found', 'No such user token'));
    await expect(send(list, { query: { user_id: ada.id } })).resolves.toMatchObject({ num_total: 0, items: [] });
  }
  await expect(ada.send(get, { id })).resolves.toMatchObject({ id });
});

test('bots cannot create user tokens', async () => {
  const bot = await somebot(auth);

  for (const user_id of [null, admin.id, randomUUID()]) {
    await expect(bot.send(create, { body: { user_id } })).rejects.toEqual(refusal('forbidden', 'Only users'));
  }
});

test.for([
  ['a user who is missing', { user_id: randomUUID() }, refusal('unprocessable', 'no such user', 'body.user_id')],
  ['an expiry in the past', { user_id: null, expires_at: '2020-01-01T00:00:00Z' }, refusal('invalid', 'future')],
  ['no user_id', {}, refusal('invalid', '', 'body.user_id')],
  ['an id chosen by the caller', { user_id: null, id: randomUUID() }, refusal('invalid', '', 'body.id')],
  ['a name with a NUL', { user_id: null, name: 'a\0b' }, refusal('invalid', '', 'body.name')],
] as const)('a token is refused with %s', async ([, body, expected]) => {
  await expect(admin.send(create, { body: malformed(body) })).rejects.toEqual(expected);
});

test('the last use of a token is published soon after, and does not count as a change', async () => {
  const ada = await somebody(auth);
  const { created_token } = await ada.send(create, { body: { user_id: null } });
  const send = auth.as({ token: created_token });

  await send(me.operations.get, {});

  const used = await vi.waitFor(
    async () => {
      const token = await ada.send(get, { id: idOf(created_token) });
      expect(token.last_used_at).not.toBeNull();
      return token;
    },
    { interval: 50 },
  );
  await send(me.operations.get, {});
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await expect(ada.send(get, { id: used.id })).resolves.toEqual(used);
});

test('a use of a token in the last second before the service stops is recorded', async () => {
  await using other = await startAuth();
  const bot = await somebot(other);

  await bot.send(me.operations.get, {});
  await other.service.stop();

  const token = await createBotTokenRepository(other.db).find(bot.tokenId);
  expect(token?.last_used_at).not.toBeNull();
});

test('a user token works again after its user was deactivated and activated, but a session does not', async () => {
  const ada = await somebody(auth);
  const { created_token } = await ada.send(create, { body: { user_id: null } });
  const byToken = auth.as({ token: created_token });

  await admin.send(users.operations.update, { id: ada.id, body: { is_active: false } });
  await expect(byToken(me.operations.get, {})).rejects.toEqual(refusal('user_inactive'));
  await expect(ada.send(me.operations.get, {})).rejects.toEqual(refusal('user_inactive'));
  await admin.send(users.operations.update, { id: ada.id, body: { is_active: true } });

  await expect(byToken(me.operations.get, {})).resolves.toMatchObject({ User: { id: ada.id } });
  await expect(ada.send(me.operations.get, {})).rejects.toEqual(refusal('token_revoked'));
});

test('no request that starts after the answer to a revocation gets through', async () => {
  const ada = await somebody(auth);
  const { created_token } = await ada.send(create, { body: { user_id: null } });
  const send = auth.as({ token: created_token });
  let revokedAt = Number.POSITIVE_INFINITY;
  let through = 0;
  let late = 0;
  const stop = new AbortController();

  const client = async () => {
    while (!stop.signal.aborted) {
      const startedAt = performance.now();
      const passed = await send(me.operations.get, {}).then(
        () => true,
        () => false,
      );
      if (passed) through += 1;
      if (passed && startedAt > revokedAt) late += 1;
    }
  };
  const clients = Array.from({ length: 20 }, client);
  await vi.waitFor(() => expect(through).toBeGreaterThan(100));
  await ada.send(revoke, { id: idOf(created_token) });
  revokedAt = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 500));
  stop.abort();
  await Promise.all(clients);

  expect(late).toBe(0);
});
