import { limits } from '@berth/shared/bus/limits';
import { EnvChanges, envs } from '@berth/shared/contracts/resources/envs';
import type { ListRequest } from '@berth/shared/contracts/paging';
import { openTestDatabase, type OpenTestDatabase } from '@berth/shared/testing/open-test-database';
import { sampleIdentities } from '@berth/shared/testing/test-identities';
import { extremeTimes, listedResources, walkList } from '@berth/shared/testing/walk-list';
import { type FragmentSqlToken, sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createBotRepository } from '../src/bots/bot-repository.ts';
import { createDeploymentPermissionRepository } from '../src/deployment-permissions/deployment-permission-repository.ts';
import { createEnvMemberRepository } from '../src/env-members/env-member-repository.ts';
import { createEnvRepository } from '../src/envs/env-repository.ts';
import { createBotTokenRepository } from '../src/tokens/bot-token-repository.ts';
import { createUserTokenRepository } from '../src/tokens/user-token-repository.ts';
import { createUserRepository } from '../src/users/user-repository.ts';
import { migrations } from './auth-under-test.ts';
import { newEnv } from './people.ts';

const { siteAdmin } = sampleIdentities;
const withId = sql.type(z.object({ id: z.string() }));

let database: OpenTestDatabase;
beforeAll(async () => {
  database = await openTestDatabase({ service: 'auth', migrations });
});
afterAll(() => database?.[Symbol.asyncDispose]());

const times = sql.fragment`unnest(${sql.array(extremeTimes, 'text')}::timestamptz[]) with ordinality as t(at, n)`;
const secret = sql.fragment`sha256('secret')`;
/** The n-th of the users that the first of the lists below holds. */
const nthUser = sql.fragment`(select id from users order by created_at desc, id desc offset n - 1 limit 1)`;
const anEnv = sql.fragment`(select id from envs order by created_at, id limit 1)`;

interface ListOfRows {
  insert: FragmentSqlToken;
  page: (request: ListRequest) => Promise<{ items: readonly { id: string }[]; next?: string | null | undefined }>;
}

/** One after the other: the later ones point to rows of those before. */
const lists: Record<string, ListOfRows> = {
  users: {
    insert: sql.fragment`
      insert into users (issuer, subject, email, display_name, is_admin, is_active, created_at)
      select 'test', n, n || '@example.test', 'Somebody', false, true, at from ${times}`,
    page: (request) => createUserRepository(database.db).list(request, siteAdmin),
  },
  bots: {
    insert: sql.fragment`insert into bots (display_name, created_at) select 'Somebot', at from ${times}`,
    page: (request) => createBotRepository(database.db).list(request),
  },
  envs: {
    insert: sql.fragment`insert into envs (name, auto_add_new_users, created_at) select n, false, at from ${times}`,
    page: (request) => createEnvRepository(database.db).list(request, 'all'),
  },
  env_user_permissions: {
    insert: sql.fragment`
      insert into env_user_permissions (env_id, user_id, role, created_at)
      select ${anEnv}, ${nthUser}, 'User', at from ${times}`,
    page: (request) => createEnvMemberRepository(database.db).list(request, 'all'),
  },
  deployment_permissions: {
    insert: sql.fragment`
      insert into deployment_permissions (env_id, user_id, kind_id, role, created_at)
      select ${anEnv}, ${nthUser}, ${crypto.randomUUID()}::uuid, 'Owner', at from ${times}`,
    page: (request) => createDeploymentPermissionRepository(database.db).list(request, 'all'),
  },
  user_tokens: {
    insert: sql.fragment`
      insert into user_tokens (id, user_id, secret_hash, created_at, expires_at, last_used_at)
      select gen_random_uuid(), ${nthUser}, ${secret}, at, at, at from ${times}`,
    page: (request) => createUserTokenRepository(database.db).list(request, 'all'),
  },
  bot_tokens: {
    insert: sql.fragment`
      insert into bot_tokens (id, bot_id, created_by_user_id, secret_hash, created_at, expires_at, last_used_at)
      select gen_random_uuid(), gen_random_uuid(), ${nthUser}, ${secret}, at, at, at from ${times}`,
    page: (request) => createBotTokenRepository(database.db).list(request),
  },
};

describe('times at the ends of what can be stored', () => {
  test('are not forgotten for any list', () => {
    expect(Object.keys(lists).toSorted()).toEqual(listedResources('auth').toSorted());
  });

  test.for(Object.entries(lists))('do not end a walk over %s', async ([, { insert, page }]) => {
    const rows = await database.db.any(withId`${insert} returning id`);

    expect(await walkList((after) => page({ after, per_page: 1 }))).toEqual(rows.map(({ id }) => id));
  });
});

test('a hundred envs with the largest placement come in pages that an answer can hold', async () => {
  const key = (n: number) => `${'d'.repeat(248)}${100 + n}/${'k'.repeat(63)}`;
  const value = 'v'.repeat(63);
  const numbers = Array.from({ length: 100 }, (_, n) => n);
  const placement = EnvChanges.parse({
    node_selector: Object.fromEntries(numbers.map((n) => [key(n), value])),
    tolerations: numbers.map((n) => ({
      key: key(n),
      operator: 'Equal',
      value,
      effect: 'NoExecute',
      tolerationSeconds: Number.MIN_SAFE_INTEGER,
    })),
  });
  const { id } = await newEnv(database.db);
  const repository = createEnvRepository(database.db);
  const { node_selector = null, tolerations = null } = placement;
  await database.db.query(withId`
    update envs set node_selector = ${sql.jsonb(node_selector)}, tolerations = ${sql.jsonb(tolerations)} where id = ${id}
  `);
  await database.db.query(withId`
    insert into envs (name, auto_add_new_users, node_selector, tolerations)
    select 'large ' || n, false, node_selector, tolerations from envs, generate_series(1, 99) n where id = ${id}
  `);

  const row = envs.state?.row.parse(await repository.find(id, 'all'));
  expect(Buffer.byteLength(JSON.stringify(row))).toBeLessThan(limits.responseBytes / 10);
  const first = await repository.list({ after: '', per_page: 100 }, 'all');
  expect(first.items.length).toBeGreaterThan(1);
  expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThan(limits.responseBytes);
  const large = await walkList((after) => repository.list({ after, per_page: 100 }, 'all'));
  expect(large).toHaveLength(first.num_total);
  await expect(repository.list({ per_page: 100 }, 'all')).rejects.toMatchObject({ code: 'too_large' });
});
