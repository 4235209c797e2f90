import { startGatewayProcess } from '@berth/devstack/testing/gateway-process';
import { limits } from '@berth/bus/protocol/limits';
import { botTokens } from '@berth/contracts/resources/accounts/bot-tokens';
import { bots } from '@berth/contracts/resources/accounts/bots';
import { envs } from '@berth/contracts/resources/envs/envs';
import { userTokens } from '@berth/contracts/resources/accounts/user-tokens';
import { largestBody, type LargestOptions, resourcesWithTexts } from '@berth/testing/contracts/largest-body';
import { ignoredFilters } from '@berth/testing/contracts/ignored-filters';
import {
  type CallOperation,
  extremeTimes,
  largestOf,
  listedResources,
  readEveryWay,
  wrongOrders,
} from '@berth/testing/contracts/walk-list';
import { type FragmentSqlToken, sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { personFrom } from '../src/sign-in/person.ts';
import { type AuthUnderTest, startAuth } from './support/auth-under-test.ts';
import { type Somebody, somebody } from './support/people.ts';
import { inStore } from './support/in-store.ts';

const withId = sql.type(z.object({ id: z.string() }));

const servers = new AsyncDisposableStack();
let auth: AuthUnderTest;
let admin: Somebody;
beforeAll(async () => {
  auth = servers.use(await startAuth());
  admin = await somebody(auth, { is_admin: true });
  const gateway = servers.use(await startGatewayProcess(auth.nats));
  call = gateway.as({ jwt: admin.jwt });
});
afterAll(() => servers.disposeAsync());

/** As a site admin, over HTTP. */
let call: CallOperation;

const times = sql.fragment`unnest(${sql.array(extremeTimes, 'text')}::timestamptz[]) with ordinality as t(at, n)`;
const secret = sql.fragment`sha256('secret')`;
/** The n-th of the users that the first entry below inserts. */
const nthUser = sql.fragment`(select id from users order by created_at desc, id desc offset n - 1 limit 1)`;
const anEnv = sql.fragment`(select id from envs order by created_at, id limit 1)`;

/** In an order in which later tables refer to rows of earlier ones. */
const inserts: Record<string, FragmentSqlToken> = {
  users: sql.fragment`
      insert into users (issuer, subject, email, display_name, is_admin, is_active, created_at)
      select 'test', n, n || '@example.test', 'Somebody', false, true, at from ${times}`,
  bots: sql.fragment`insert into bots (display_name, created_at) select 'Somebot', at from ${times}`,
  envs: sql.fragment`insert into envs (name, auto_add_new_users, created_at) select n, false, at from ${times}`,
  env_user_permissions: sql.fragment`
      insert into env_user_permissions (env_id, user_id, role, created_at)
      select ${anEnv}, ${nthUser}, 'User', at from ${times}`,
  deployment_permissions: sql.fragment`
      insert into deployment_permissions (env_id, user_id, kind_id, role, created_at)
      select ${anEnv}, ${nthUser}, ${crypto.randomUUID()}::uuid, 'Owner', at from ${times}`,
  user_tokens: sql.fragment`
      insert into user_tokens (id, user_id, secret_hash, created_at, expires_at, last_used_at)
      select gen_random_uuid(), ${nthUser}, ${secret}, at, at, at from ${times}`,
  bot_tokens: sql.fragment`
      insert into bot_tokens (id, bot_id, created_by_user_id, secret_hash, created_at, expires_at, last_used_at)
      select gen_random_uuid(), gen_random_uuid(), ${nthUser}, ${secret}, at, at, at from ${times}`,
};

describe('timestamps at the limits of Postgres', () => {
  test('are tested in every list', () => {
    expect(Object.keys(inserts).toSorted()).toEqual(listedResources('auth').toSorted());
  });

  test.for(Object.entries(inserts))(
    'are readable wherever %s are read, and their list heeds each of its filters',
    async ([name, insert]) => {
      const inserted = (await auth.db.any(withId`${insert} returning id`)).map(({ id }) => id);
      const ofThese = (ids: readonly string[]) => ids.filter((id) => inserted.includes(id));

      const { walked, read, sorted } = await readEveryWay(name, call, 3);

      expect(ofThese(walked.map(({ id }) => id))).toEqual(inserted);
      expect(read).toEqual(walked.slice(0, 10));
      const ofTheseOnly = Object.fromEntries(Object.entries(sorted).map(([sort, ids]) => [sort, ofThese(ids)]));
      expect(wrongOrders(ofTheseOnly, inserted)).toEqual([]);
      expect(await ignoredFilters(name, call)).toEqual([]);
    },
  );
});

/** The most entries that a placement may have, each of the greatest length that Kubernetes allows. */
const key = (n: number) => `${'d'.repeat(248)}${100 + n}/${'k'.repeat(63)}`;
const value = 'v'.repeat(63);
const hundred = Array.from({ length: 100 }, (_, n) => n);
const largestPlacement = {
  node_selector: Object.fromEntries(hundred.map((n) => [key(n), value])),
  tolerations: hundred.map((n) => ({
    key: key(n),
    operator: 'Equal',
    value,
    effect: 'NoExecute',
    tolerationSeconds: Number.MIN_SAFE_INTEGER,
  })),
};

describe('the largest rows that can be written', () => {
  const ten = hundred.slice(0, 10);
  const options = (n: number): LargestOptions => ({
    mark: String(n).padStart(3, '0'),
    largestAs: n % 2 === 0 ? 'json' : 'utf8',
  });
  let botId: string;
  beforeAll(async () => {
    ({ id: botId } = await inStore(auth.db, ({ bots }) => bots.insert({ display_name: 'Somebot' })));
  });

  /** In the order of the tests. */
  const writes: Record<string, (options: LargestOptions) => Promise<unknown>> = {
    users: async ({ mark = '' }) => {
      const email = `${'あ'.repeat(150)}@${'あ'.repeat(150)}${mark}`;
      const claims = {
        iss: 'https://id.example.test',
        sub: `${'あ'.repeat(252)}${mark}`,
        email,
        name: '😀'.repeat(101),
      };
      const { displayName, ...person } = personFrom(claims);
      const user = { ...person, display_name: displayName ?? '', is_admin: false, is_active: true };
      return inStore(auth.db, ({ users }) => users.insertUnlessTaken(user));
    },
    bots: (given) => call(bots.operations.create, { body: largestBody(bots.operations.create, given) }),
    envs: async (given) => {
      const body = largestBody(envs.operations.create, given);
      const { id } = z.looseObject({ id: z.string() }).parse(await call(envs.operations.create, { body }));
      const changes = largestBody(envs.operations.update, { ...given, given: largestPlacement });
      return call(envs.operations.update, { id, body: changes });
    },
    user_tokens: (given) =>
      call(userTokens.operations.create, {
        body: largestBody(userTokens.operations.create, { ...given, given: { user_id: null } }),
      }),
    bot_tokens: (given) =>
      call(botTokens.operations.create, {
        body: largestBody(botTokens.operations.create, { ...given, given: { bot_id: botId } }),
      }),
  };

  test('are tested for every resource with texts', () => {
    expect(Object.keys(writes)).toEqual(expect.arrayContaining(resourcesWithTexts('auth')));
  });

  test.for(Object.entries(writes))('can be read by id and by every list of %s', async ([name, write]) => {
    const before = new Set((await readEveryWay(name, call, 100, [])).walked.map(({ id }) => id));
    for (const n of ten) await write(options(n));

    const { walked, read, sorted } = await readEveryWay(name, call, 100);

    expect(walked.filter(({ id }) => !before.has(id))).toHaveLength(ten.length);
    expect(read).toEqual(walked.slice(0, 10));
    for (const ids of Object.values(sorted)) expect(ids).toHaveLength(walked.length);
    // A hundred of these fit into one answer, but fewer envs do: see the last test of this file.
    const rows = name === 'envs' ? 10 : 100;
    expect(rows * largestOf(walked)).toBeLessThan(limits.responseBytes);
  });

  test.for(['cluster-sync', 'tasks'] as const)('reach the projection of envs in %s', async (follower) => {
    const { walked } = await readEveryWay('envs', call, 100, []);
    const bus = await auth.connect(follower);
    const copy = new Map<string, unknown>();
    const end = new AbortController();
    const following = bus.state.follow(envs, {
      signal: end.signal,
      apply: async ({ id, row }) => void copy.set(id, row),
    });

    const large = walked.filter(({ node_selector }) => node_selector !== null);
    expect(large).toHaveLength(ten.length);
    await vi.waitFor(() => expect(large.filter(({ id }) => !copy.has(id))).toEqual([]));
    expect(large.map(({ id }) => copy.get(id))).toEqual(large);
    end.abort();
    await following;
  });
});

test('a hundred envs with the largest placement are split into pages that fit into an answer', async () => {
  await auth.db.query(withId`
    insert into envs (name, auto_add_new_users, node_selector, tolerations)
    select 'large ' || n, false, node_selector, tolerations
    from generate_series(1, 100) n, (select * from envs where node_selector is not null limit 1) large
  `);
  const { list } = envs.operations;

  const first = await admin.send(list, { query: { after: '', per_page: 100 } });

  expect(first.items.length).toBeGreaterThan(1);
  expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThan(limits.responseBytes);
  expect((await readEveryWay('envs', call, 100, [])).walked).toHaveLength(first.num_total);
  await expect(admin.send(list, { query: { per_page: 100 } })).rejects.toMatchObject({ code: 'too_large' });
});
