import type { Identity } from '@berth/contracts/access/identity';
import {
  aTime,
  faultsAtManyRows,
  nthId,
  numbers,
  oneEnv,
  oneOf,
  type PlannedList,
  rowId,
  visible,
} from '@berth/testing/db/list-plans';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { createBotRepository } from '../src/bots/bot-repository.ts';
import { createBotTokenRepository } from '../src/bots/bot-token-repository.ts';
import { createDeploymentPermissionRepository } from '../src/envs/deployment-permission-repository.ts';
import { createEnvMemberRepository } from '../src/envs/env-member-repository.ts';
import { createEnvRepository } from '../src/envs/env-repository.ts';
import { createUserTokenRepository } from '../src/tokens/user-token-repository.ts';
import { createUserRepository } from '../src/users/user-repository.ts';

const migrations = new URL('../migrations/', import.meta.url);
const user = (seeing: 'all envs' | 'one env'): Identity => ({
  kind: 'user',
  id: '00000000-0000-4000-8000-000000000007',
  is_admin: seeing === 'all envs',
  env_roles: { [oneEnv]: 'User' },
  deployment_roles: [],
});
const parts = ['y 4711', 'some', 'xyz'];

const lists: Record<string, PlannedList> = {
  users: {
    rows: sql.fragment`
      insert into users (id, created_at, issuer, subject, email, display_name, is_admin, is_active)
      select ${rowId}, ${aTime()}, 'test', n, 'n' || n || '@example.test', 'Somebody ' || n, n % 1000 = 0, n % 20 > 0
      from ${numbers}`,
    list: (queries, query, seeing) => createUserRepository(queries).list(query, user(seeing)),
    values: { display_name: parts, email: ['n4711', 'example', 'xyz'], is_active: [true, false] },
  },
  bots: {
    rows: sql.fragment`
      insert into bots (id, created_at, display_name, is_active)
      select ${rowId}, ${aTime()}, 'Somebody ' || n, n % 20 > 0 from ${numbers}`,
    list: (queries, query) => createBotRepository(queries).list(query),
    values: { display_name: parts },
  },
  envs: {
    rows: sql.fragment`
      insert into envs (id, created_at, name, auto_add_new_users)
      select ${rowId}, ${aTime()}, 'env ' || n, n % 1000 = 0 from ${numbers}`,
    list: (queries, query, seeing) => createEnvRepository(queries).list(query, visible[seeing]),
    values: { auto_add_new_users: [true, false] },
  },
  env_user_permissions: {
    rows: sql.fragment`
      insert into env_user_permissions (id, created_at, env_id, user_id, role)
      select ${rowId}, ${aTime()}, ${nthId(oneOf(50))}, ${rowId}, case when n % 20 = 0 then 'Admin' else 'User' end
      from ${numbers}`,
    list: (queries, query, seeing) => createEnvMemberRepository(queries).list(query, visible[seeing]),
  },
  deployment_permissions: {
    rows: sql.fragment`
      insert into deployment_permissions (id, created_at, env_id, user_id, kind_id, role)
      select ${rowId}, ${aTime()}, ${nthId(oneOf(50))}, ${rowId}, ${nthId(oneOf(200, 1))},
        case when n % 20 = 0 then 'Owner' else 'Maintainer' end
      from ${numbers}`,
    list: (queries, query, seeing) => createDeploymentPermissionRepository(queries).list(query, visible[seeing]),
  },
  user_tokens: {
    rows: sql.fragment`
      insert into user_tokens (id, created_at, user_id, name, secret_hash, expires_at, last_used_at, revoked_at)
      select ${rowId}, ${aTime()}, ${nthId(oneOf(2_000))}, 'token ' || n, sha256('x'), ${aTime(1)}, ${aTime(2)},
        case when n % 3 = 0 then ${aTime(3)} end
      from ${numbers}`,
    list: (queries, query, seeing) =>
      createUserTokenRepository(queries).list(query, seeing === 'all envs' ? 'all' : { userId: oneEnv }),
  },
  bot_tokens: {
    rows: sql.fragment`
      insert into bot_tokens (id, created_at, bot_id, created_by_user_id, name, secret_hash, expires_at, last_used_at, revoked_at)
      select ${rowId}, ${aTime()}, ${nthId(oneOf(2_000))}, ${nthId(oneOf(100, 4))}, 'token ' || n, sha256('x'), ${aTime(1)},
        ${aTime(2)}, case when n % 3 = 0 then ${aTime(3)} end
      from ${numbers}`,
    list: (queries, query) => createBotTokenRepository(queries).list(query),
  },
};

test('each list of auth reads and sorts about a page of 100,000 rows, whatever the order and filter', async () => {
  expect(await faultsAtManyRows({ owner: 'auth', migrations, lists })).toEqual([]);
}, 240_000);
