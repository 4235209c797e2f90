import { randomUUID } from 'node:crypto';
import { tokenIdIn } from '@berth/contracts/resources/accounts/api-token';
import { botTokens } from '@berth/contracts/resources/accounts/bot-tokens';
import { bots } from '@berth/contracts/resources/accounts/bots';
import { deploymentPermissions } from '@berth/contracts/resources/envs/deployment-permissions';
import { envUserPermissions } from '@berth/contracts/resources/envs/env-user-permissions';
import { envs } from '@berth/contracts/resources/envs/envs';
import { userTokens } from '@berth/contracts/resources/accounts/user-tokens';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthUnderTest, startAuth } from './support/auth-under-test.ts';
import { somebot, somekind } from './support/bots-and-deployments.ts';
import { newEnv, newUser, type Somebody, somebody } from './support/people.ts';
import { refusal } from './support/refusal.ts';

let auth: AuthUnderTest;
let admin: Somebody;
let kind_id: string;
beforeAll(async () => {
  auth = await startAuth();
  admin = await somebody(auth, { is_admin: true });
  kind_id = await somekind(auth, await auth.connect('registry-scan'));
});
afterAll(() => auth[Symbol.asyncDispose]());

const key = () => ({ idempotencyKey: randomUUID() });
const name = () => `Name ${randomUUID()}`;
const usedOtherwise = refusal('unprocessable', 'was used with another request', 'headers.idempotency-key');

interface Creation {
  /** The same request each time, unless another text is given. */
  send(text: string, options: { idempotencyKey: string }, by?: Somebody): Promise<object>;
  rows(): Promise<number>;
}

/** By resource; each creates the rows to which the new one refers. */
const creations: Record<string, () => Promise<Creation>> = {
  envs: async () => ({
    send: (text, options, by = admin) => by.send(envs.operations.create, { body: { name: text } }, options),
    rows: async () => (await admin.send(envs.operations.list, {})).num_total,
  }),
  bots: async () => ({
    send: (display_name, options, by = admin) => by.send(bots.operations.create, { body: { display_name } }, options),
    rows: async () => (await admin.send(bots.operations.list, {})).num_total,
  }),
  env_user_permissions: async () => {
    const { id: env_id } = await newEnv(auth.db);
    const { id: user_id } = await newUser(auth.db);
    return {
      send: (text, options, by = admin) => {
        const role = text.startsWith('Other') ? 'Admin' : 'User';
        return by.send(envUserPermissions.operations.create, { body: { env_id, user_id, role } }, options);
      },
      rows: async () => (await admin.send(envUserPermissions.operations.list, { query: { env_id } })).num_total,
    };
  },
  deployment_permissions: async () => {
    const { id: env_id } = await newEnv(auth.db);
    const { id: user_id } = await newUser(auth.db, { roles: { [env_id]: 'User' } });
    return {
      send: (text, options, by = admin) => {
        const role = text.startsWith('Other') ? 'Owner' : 'Maintainer';
        const body = { env_id, user_id, kind_id, role } as const;
        return by.send(deploymentPermissions.operations.create, { body }, options);
      },
      rows: async () => (await admin.send(deploymentPermissions.operations.list, { query: { env_id } })).num_total,
    };
  },
};

describe.for(Object.keys(creations))('a repeated creation of %s', (resource) => {
  let creation: Creation;
  beforeAll(async () => {
    creation = (await creations[resource]?.()) ?? expect.fail();
  });

  test('gets the first answer and creates one row, even for twenty at once', async () => {
    const rows = await creation.rows();
    const text = name();
    const same = key();

    const answers = await Promise.all(Array.from({ length: 20 }, () => creation.send(text, same)));
    answers.push(await creation.send(text, same));

    expect(answers).toEqual(Array.from({ length: 21 }, () => answers[0]));
    expect(await creation.rows()).toBe(rows + 1);
    await expect(creation.send(`Other ${text}`, same)).rejects.toEqual(usedOtherwise);
    expect(await creation.rows()).toBe(rows + 1);
  });
});

test('two identities can use the same idempotency key', async () => {
  const other = await somebody(auth, { is_admin: true });
  const same = key();
  const { create } = bots.operations;

  const first = await admin.send(create, { body: { display_name: 'Mine' } }, same);
  const second = await other.send(create, { body: { display_name: 'Theirs' } }, same);

  expect(second).toMatchObject({ display_name: 'Theirs' });
  expect(second.id).not.toBe(first.id);
});

test('the same idempotency key and body for another resource is refused', async () => {
  const same = key();
  await admin.send(botTokens.operations.create, { body: { bot_id: (await somebot(auth)).id } }, same);

  await expect(admin.send(envs.operations.create, { body: { name: name() } }, same)).rejects.toEqual(usedOtherwise);
});

test('a failed creation can be repeated, even with another body', async () => {
  const same = key();
  const taken = await newEnv(auth.db);
  const { create, update } = envs.operations;
  await expect(admin.send(create, { body: { name: taken.name } }, same)).rejects.toEqual(refusal('conflict', 'exists'));
  await admin.send(update, { id: taken.id, body: { name: name() } });

  await expect(admin.send(create, { body: { name: taken.name } }, same)).resolves.toMatchObject({ name: taken.name });
});

test('the idempotency key of a forbidden creation stays free', async () => {
  const same = key();
  const env = await newEnv(auth.db);
  const ada = await somebody(auth);
  const { create } = envUserPermissions.operations;
  const body = { env_id: env.id, user_id: (await newUser(auth.db)).id, role: 'User' } as const;
  await expect(ada.send(create, { body }, same)).rejects.toEqual(refusal('unprocessable', '', 'body.env_id'));
  await admin.send(create, { body: { env_id: env.id, user_id: ada.id, role: 'Admin' } });

  await expect(ada.send(create, { body }, same)).resolves.toMatchObject(body);
});

describe('a repeated creation of a token', () => {
  const idOf = (token: string): string => tokenIdIn(token) ?? '';

  test('is refused for a user, names the first token and creates no second one', async () => {
    const ada = await somebody(auth);
    const same = key();
    const { create, list } = userTokens.operations;
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, () => ada.send(create, { body: { user_id: null, name: 'laptop' } }, same)),
    );

    const made = attempts.flatMap((one) => (one.status === 'fulfilled' ? [one.value.created_token] : []));
    const refused = attempts.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    const [token = ''] = made;
    expect(made).toHaveLength(1);
    expect(refused).toEqual(Array.from({ length: 19 }, () => refusal('conflict', idOf(token))));
    expect(JSON.stringify(refused)).not.toContain(token.slice(23));
    expect((await ada.send(list, {})).items.map(({ id }) => id)).toEqual([idOf(token)]);
  });

  test('is refused for a bot and names the token, even after it has expired', async () => {
    const { id: bot_id } = await somebot(auth);
    const same = key();
    const body = { bot_id, expires_at: new Date(Date.now() + 4_000).toISOString() };
    const { create } = botTokens.operations;
    const { created_token } = await admin.send(create, { body }, same);

    await expect.poll(() => Date.now() > Date.parse(body.expires_at)).toBe(true);
    await expect(admin.send(create, { body }, same)).rejects.toEqual(refusal('conflict', idOf(created_token)));
  });
});
