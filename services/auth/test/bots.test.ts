import { randomUUID } from 'node:crypto';
import { botTokens } from '@berth/contracts/resources/accounts/bot-tokens';
import { bots } from '@berth/contracts/resources/accounts/bots';
import { me } from '@berth/contracts/resources/accounts/me';
import { wrongClock } from '@berth/testing/wrong-clock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthUnderTest, startAuth } from './support/auth-under-test.ts';
import { somebot } from './support/bots-and-deployments.ts';
import { type Somebody, somebody } from './support/people.ts';
import { malformed, refusal } from './support/refusal.ts';

let auth: AuthUnderTest;
let admin: Somebody;
let user: Somebody;
beforeAll(async () => {
  // The clock of the database decides whether a token has expired, not the clock of the host.
  auth = await startAuth(wrongClock(3_600_000));
  admin = await somebody(auth, { is_admin: true });
  user = await somebody(auth);
});
afterAll(() => auth[Symbol.asyncDispose]());

describe('bots', () => {
  const { list, create, get, update, delete: remove } = bots.operations;

  test('are created, renamed, deactivated and deleted by site admins', async () => {
    const made = await admin.send(create, { body: { display_name: '  CI  ' } });
    const renamed = await admin.send(update, { id: made.id, body: { display_name: 'Deploys' } });
    const off = await admin.send(update, { id: made.id, body: { is_active: false } });
    const gone = await admin.send(remove, { id: made.id });

    expect(made).toMatchObject({ display_name: 'CI', is_active: true });
    expect(renamed).toEqual({ ...made, display_name: 'Deploys' });
    expect(off).toEqual({ ...renamed, is_active: false });
    expect(gone).toBeNull();
    await expect(admin.send(get, { id: made.id })).rejects.toEqual(refusal('not_found', 'No such bot'));
  });

  test('are visible to all and changed only by site admins', async () => {
    const bot = await somebot(auth, `Seen ${randomUUID()}`);
    const body = { display_name: 'Mine' };

    for (const { send } of [user, bot]) {
      await expect(send(get, { id: bot.id })).resolves.toMatchObject({ display_name: bot.display_name });
      await expect(
        send(list, { query: { display_name: bot.display_name.slice(2).toUpperCase() } }),
      ).resolves.toMatchObject({
        num_total: 1,
      });
      await expect(send(create, { body })).rejects.toEqual(refusal('forbidden'));
      await expect(send(update, { id: bot.id, body })).rejects.toEqual(refusal('forbidden'));
      await expect(send(remove, { id: bot.id })).rejects.toEqual(refusal('forbidden'));
    }
  });

  test('are not changed by requests with a bad body, a missing id or a stale If-Match', async () => {
    const bot = await somebot(auth);
    const missing = randomUUID();

    await expect(admin.send(create, { body: malformed({}) })).rejects.toEqual(
      refusal('invalid', '', 'body.display_name'),
    );
    await expect(admin.send(create, { body: { display_name: ' ' } })).rejects.toEqual(refusal('invalid'));
    await expect(admin.send(create, { body: { display_name: 'x'.repeat(101) } })).rejects.toEqual(refusal('invalid'));
    await expect(admin.send(create, { body: malformed({ display_name: 'x', id: missing }) })).rejects.toEqual(
      refusal('invalid', '', 'body.id'),
    );
    await expect(admin.send(update, { id: bot.id, body: malformed({ is_active: null }) })).rejects.toEqual(
      refusal('invalid', '', 'body.is_active'),
    );
    await expect(admin.send(update, { id: missing, body: {} })).rejects.toEqual(refusal('not_found'));
    await expect(admin.send(remove, { id: missing })).rejects.toEqual(refusal('not_found'));
    await expect(admin.send(remove, { id: bot.id }, { ifMatch: '"other"' })).rejects.toEqual(refusal('stale'));
  });

  test('are refused as inactive while deactivated, and work again when activated', async () => {
    const bot = await somebot(auth);

    await admin.send(update, { id: bot.id, body: { is_active: false } });
    await expect(bot.send(me.operations.get, {})).rejects.toEqual(refusal('user_inactive', 'bot'));
    await admin.send(update, { id: bot.id, body: { is_active: true } });

    await expect(bot.send(me.operations.get, {})).resolves.toMatchObject({ Bot: { id: bot.id } });
  });

  test('lose their tokens when they are deleted', async () => {
    const bot = await somebot(auth);

    await admin.send(remove, { id: bot.id });

    await expect(bot.send(me.operations.get, {})).rejects.toEqual(refusal('token_revoked'));
    await expect(admin.send(botTokens.operations.get, { id: bot.tokenId })).rejects.toEqual(refusal('not_found'));
    const query = { bot_id: bot.id };
    await expect(admin.send(botTokens.operations.list, { query })).resolves.toMatchObject({ num_total: 0, items: [] });
  });
});

describe('bot tokens', () => {
  const { list, create, get, delete: revoke } = botTokens.operations;

  test('show their secret in the answer to their creation, and everything else later', async () => {
    const bot = await somebot(auth);
    const expires_at = new Date(Date.now() + 60_000).toISOString();

    const { created_token } = await admin.send(create, { body: { bot_id: bot.id, name: ' CI ', expires_at } });
    const { items } = await admin.send(list, { query: { bot_id: bot.id, created_by_user_id: admin.id } });

    expect(items).toEqual([
      {
        id: expect.any(String),
        bot_id: bot.id,
        created_at: expect.any(String),
        created_by_user_id: admin.id,
        name: 'CI',
        expires_at,
        last_used_at: null,
      },
    ]);
    await expect(admin.send(get, { id: items[0]?.id ?? '' })).resolves.toEqual(items[0]);
    await expect(auth.as({ token: created_token })(me.operations.get, {})).resolves.toMatchObject({
      Bot: { id: bot.id },
    });
  });

  test('are for site admins only', async () => {
    const bot = await somebot(auth);

    for (const { send } of [user, bot]) {
      await expect(send(list, {})).rejects.toEqual(refusal('forbidden'));
      await expect(send(get, { id: bot.tokenId })).rejects.toEqual(refusal('forbidden'));
      await expect(send(create, { body: { bot_id: bot.id } })).rejects.toEqual(refusal('forbidden'));
      await expect(send(revoke, { id: bot.tokenId })).rejects.toEqual(refusal('forbidden'));
    }
  });

  test('are not created for a missing bot, with an expiry in the past, or with fields that the server sets', async () => {
    const bot = await somebot(auth);
    const refused = (body: object, expected: unknown) =>
      expect(admin.send(create, { body: malformed({ bot_id: bot.id, ...body }) })).rejects.toEqual(expected);

    await refused({ bot_id: randomUUID() }, refusal('unprocessable', 'no such bot', 'body.bot_id'));
    await refused({ expires_at: '2020-01-01T00:00:00Z' }, refusal('invalid', 'future', 'body.expires_at'));
    await refused({ expires_at: 'soon' }, refusal('invalid', '', 'body.expires_at'));
    await refused({ secret_hash: 'x' }, refusal('invalid', '', 'body.secret_hash'));
    await refused({ created_by_user_id: user.id }, refusal('invalid', '', 'body.created_by_user_id'));
    await refused({ name: 'x'.repeat(101) }, refusal('invalid', '', 'body.name'));
  });

  test('stop working and become invisible when they are revoked', async () => {
    const bot = await somebot(auth);

    await admin.send(revoke, { id: bot.tokenId });

    await expect(bot.send(me.operations.get, {})).rejects.toEqual(refusal('token_revoked'));
    await expect(admin.send(get, { id: bot.tokenId })).rejects.toEqual(refusal('not_found', 'No such bot token'));
    await expect(admin.send(revoke, { id: bot.tokenId })).rejects.toEqual(refusal('not_found'));
  });
});
