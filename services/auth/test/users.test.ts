import { randomUUID } from 'node:crypto';
import { identities } from '@berth/contracts/resources/accounts/identities';
import { users } from '@berth/contracts/resources/accounts/users';
import { deniedIn } from '@berth/testing/db/audited';
import { answeredUnlikeContract, deniedAttempts } from '@berth/testing/contracts/refusals';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AuthUnderTest, startAuth } from './support/auth-under-test.ts';
import { somebot } from './support/bots-and-deployments.ts';
import { serveOtherAudits } from './support/other-audits.ts';
import { newEnv, somebody } from './support/people.ts';
import { malformed, refusal } from './support/refusal.ts';

const { list, get, update } = users.operations;

let auth: AuthUnderTest;
beforeAll(async () => {
  auth = await startAuth();
});
afterAll(() => auth[Symbol.asyncDispose]());

describe('a user', () => {
  test('is activated and promoted by a site admin', async () => {
    const admin = await somebody(auth, { is_admin: true });
    const grace = await somebody(auth, { is_active: false });

    const activated = await admin.send(update, { id: grace.id, body: { is_active: true } });
    const promoted = await admin.send(update, { id: grace.id, body: { is_admin: true } });

    expect(activated).toMatchObject({ id: grace.id, is_active: true, is_admin: false, email: grace.email });
    expect(promoted).toMatchObject({ is_active: true, is_admin: true });
  });

  test('is changed by nobody else', async () => {
    const user = await somebody(auth);
    const bot = await somebot(auth);

    for (const { send } of [user, bot]) {
      await expect(send(update, { id: user.id, body: { is_active: false } })).rejects.toEqual(
        refusal('forbidden', 'a site admin'),
      );
    }
  });

  test('cannot change their own flags, except to the present value', async () => {
    const admin = await somebody(auth, { is_admin: true });

    await expect(admin.send(update, { id: admin.id, body: { is_admin: false } })).rejects.toEqual(refusal('forbidden'));
    await expect(admin.send(update, { id: admin.id, body: { is_active: false } })).rejects.toEqual(
      refusal('forbidden'),
    );
    await expect(admin.send(update, { id: admin.id, body: { is_admin: true } })).resolves.toMatchObject({
      is_admin: true,
    });
    await expect(admin.send(update, { id: admin.id, body: {} })).resolves.toMatchObject({ id: admin.id });
  });

  test('is changed only if it exists, with known fields and a current If-Match', async () => {
    const admin = await somebody(auth, { is_admin: true });
    const grace = await somebody(auth);
    const body = { is_admin: true };

    await expect(admin.send(update, { id: randomUUID(), body })).rejects.toEqual(refusal('not_found', 'No such user'));
    await expect(admin.send(update, { id: grace.id, body: malformed({ display_name: 'Grace' }) })).rejects.toEqual(
      refusal('invalid', '', 'body.display_name'),
    );
    await expect(admin.send(update, { id: grace.id, body: malformed({ is_admin: null }) })).rejects.toEqual(
      refusal('invalid', '', 'body.is_admin'),
    );
    await expect(admin.send(update, { id: grace.id, body }, { ifMatch: '"other"' })).rejects.toEqual(refusal('stale'));
  });
});

test('the last site admin stays one, even if two demote each other at the same time', async () => {
  await using alone = await startAuth();
  const [ada, bob] = [await somebody(alone, { is_admin: true }), await somebody(alone, { is_admin: true })];
  const { identity_token: identityToken } = await alone.gateway.call(identities.operations.authenticate, {
    body: { credential: { jwt: bob.jwt }, audience: 'auth' },
  });
  await ada.send(update, { id: bob.id, body: { is_admin: false } });

  const change = { id: ada.id, body: { is_admin: false } };
  await expect(alone.gateway.call(update, change, { identityToken })).rejects.toEqual(
    refusal('conflict', 'last active'),
  );

  await ada.send(update, { id: bob.id, body: { is_admin: true } });
  const results = await Promise.allSettled([
    ada.send(update, { id: bob.id, body: { is_admin: false } }),
    bob.send(update, { id: ada.id, body: { is_active: false } }),
  ]);

  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refused).toHaveLength(1);
  // By then the second caller is either the last site admin or no longer one.
  expect(['conflict', 'forbidden', 'user_inactive', 'token_revoked']).toContain(refused[0].code);
});

describe('e-mails of users', () => {
  test('are visible only to site admins, the user itself and members of a shared env', async () => {
    const env = await newEnv(auth.db);
    const other = await newEnv(auth.db);
    const grace = await somebody(auth, { roles: { [env.id]: 'User' } });
    const admin = await somebody(auth, { is_admin: true });
    const mate = await somebody(auth, { roles: { [env.id]: 'User', [other.id]: 'User' } });
    const stranger = await somebody(auth, { roles: { [other.id]: 'Admin' } });
    const bot = await somebot(auth);

    const emailFor = async ({ send }: { send: typeof grace.send }) => (await send(get, { id: grace.id })).email;

    expect(await Promise.all([grace, admin, mate].map(emailFor))).toEqual([grace.email, grace.email, grace.email]);
    expect(await Promise.all([stranger, bot].map(emailFor))).toEqual([null, null]);
  });

  test('are not found by a filter of callers who cannot see them', async () => {
    const env = await newEnv(auth.db);
    const email = `Findme-${randomUUID()}@example.test`;
    const grace = await somebody(auth, { email, roles: { [env.id]: 'User' } });
    const mate = await somebody(auth, { roles: { [env.id]: 'User' } });
    const stranger = await somebody(auth);
    const bot = await somebot(auth);
    const query = { email: email.slice(3, 30).toLowerCase() };

    const foundBy = async ({ send }: { send: typeof grace.send }) => (await send(list, { query })).num_total;

    expect(await Promise.all([mate, stranger, bot].map(foundBy))).toEqual([1, 0, 0]);
  });
});

describe('the list of users', () => {
  test('shows the newest first, and finds parts of names as they are written', async () => {
    const tag = randomUUID();
    const reader = await somebody(auth);
    const first = await somebody(auth, { display_name: `100%_${tag} One`, is_active: false });
    const second = await somebody(auth, { display_name: `100%_${tag} Two` });

    const byName = await reader.send(list, { query: { display_name: `0%_${tag.toUpperCase()}` } });
    const active = await reader.send(list, { query: { display_name: tag, is_active: 'true' } });
    const wildcard = await reader.send(list, { query: { display_name: `%${tag}%` } });

    expect(byName.items.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(active.items.map(({ id }) => id)).toEqual([second.id]);
    expect(wildcard.num_total).toBe(0);
  });

  test.for([
    ['an unknown filter', { nickname: 'x' }, 'query.nickname'],
    ['a flag that is not a boolean', { is_active: 'maybe' }, 'query.is_active'],
    ['an order by e-mail', { sort: 'email' }, 'query.sort'],
    ['page 0', { page: 0 }, 'query.page'],
    ['more than 100 on a page', { per_page: 101 }, 'query.per_page'],
  ] as const)('refuses %s', async ([, query, path]) => {
    const { send } = await somebody(auth);

    await expect(send(list, { query: malformed(query) })).rejects.toEqual(refusal('invalid', '', path));
  });
});

test('a user who is missing answers 404', async () => {
  const { send } = await somebody(auth);

  await expect(send(get, { id: randomUUID() })).rejects.toEqual(refusal('not_found'));
});

test('every operation of auth refuses what its contract refuses, and audits the attempts of outsiders', async () => {
  await serveOtherAudits(auth);
  const { send: siteAdmin } = await somebody(auth, { is_admin: true });
  const { send: outsider } = await somebody(auth);
  const callers = { siteAdmin, outsider, nobody: auth.gateway.call };

  const wrong = await answeredUnlikeContract('auth', (caller, operation, request) =>
    callers[caller](operation, request),
  );

  expect(wrong).toEqual([]);
  const recorded = async () => expect(await deniedIn(auth.db)).toEqual(expect.arrayContaining(deniedAttempts('auth')));
  await vi.waitFor(recorded);
});
