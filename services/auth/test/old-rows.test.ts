import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { deploymentPermissions } from '@berth/contracts/resources/envs/deployment-permissions';
import { outboxStore } from '@berth/db/outbox/outbox-store';
import { recordState } from '@berth/db/outbox/outbox';
import { openDatabase } from '@berth/db/postgres/open-database';
import { statement } from '@berth/db/statement';
import { createTestDatabase } from '@berth/testing/test-database';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createDeploymentPermissionRepository } from '../src/envs/deployment-permission-repository.ts';
import { createDeploymentKindRepository } from '../src/projections/deployment-kind-repository.ts';
import { migrations } from './support/auth-under-test.ts';
import { newEnv, newUser } from './support/people.ts';

const options = { log: { info: () => {}, warn: () => {} }, applicationName: 'old-rows', maxConnections: 1 };
const versions = sql.type(z.object({ id: z.string(), version: z.number() }));

/** The schema before migration 0009. */
async function oldMigrations(stack: AsyncDisposableStack): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-old-rows-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  for (const name of await readdir(migrations)) {
    if (name < '0009') await cp(join(fileURLToPath(migrations), name), join(folder, name));
  }
  return pathToFileURL(`${folder}/`);
}

test.for([
  ['numbers of a sequence', sql.fragment`nextval('outbox_version')`, true],
  ['times', sql.fragment`next_outbox_version()`, false],
] as const)('rows of an earlier schema whose versions are %s are migrated', async ([, version, isBeforeTimes]) => {
  await using stack = new AsyncDisposableStack();
  const before = await oldMigrations(stack);
  const { url } = stack.use(await createTestDatabase({ service: 'auth', migrations: before }));
  const [ofMember, ofStranger, kind] = [randomUUID(), randomUUID(), randomUUID()];
  let env_id: string;
  {
    await using old = await openDatabase({ url, migrations: before, ...options });
    ({ id: env_id } = await newEnv(old));
    const member = await newUser(old, { roles: { [env_id]: 'User' } });
    const stranger = await newUser(old);
    await old.query(statement`
      insert into deployment_permissions (id, env_id, user_id, kind_id, role) values
        (${ofMember}, ${env_id}, ${member.id}, ${kind}, 'Owner'), (${ofStranger}, ${env_id}, ${stranger.id}, ${kind}, 'Owner')
    `);
    await old.query(statement`
      insert into outbox (resource, id, version, env_id, operation, row)
      select 'deployment_permissions', id, ${version}, env_id, 'INSERT', to_jsonb(p) from deployment_permissions p
    `);
    await old.query(statement`update outbox set published_version = version`);
    await old.query(statement`insert into deployment_kinds_seen (id, version, deleted) values (${kind}, 1, false)`);
    await old.query(statement`
      insert into deployments_seen (id, version, deleted, name, env_id, enabled)
      values (${randomUUID()}, 1, false, 'web', ${env_id}, true)
    `);
    if (isBeforeTimes) {
      await old.query(statement`drop function next_outbox_version`);
      await old.query(statement`delete from applied_migrations where name like 'shared/0006-%'`);
    }
  }

  await using db = await openDatabase({ url, migrations, ...options });

  const { items } = await createDeploymentPermissionRepository(db).list({}, 'all');
  expect(items.map(({ id }) => id)).toEqual([ofMember]);
  expect(await createDeploymentKindRepository(db).exists(kind)).toBe(true);
  const audited = sql.type(z.object({ object_id: z.string(), action: z.string() }))`
    select object_id, action from audit_log where resource = 'deployment_permissions'
  `;
  expect(await db.any(audited)).toEqual([{ object_id: ofStranger, action: 'delete' }]);

  const store = outboxStore(db);
  const unpublished = await store.unpublished(10, []);
  expect(unpublished).toMatchObject([{ id: ofStranger, operation: 'DELETE' }]);
  await store.markPublished(unpublished);
  expect(await store.unpublished(10, [])).toEqual([]);

  const [row] = items;
  const known = await db.any(versions`select id, version from outbox`);
  if (row)
    await db.transaction(async (tx) =>
      recordState(tx, deploymentPermissions, { id: ofMember, env_id, operation: 'UPDATE', row }),
    );
  const [changed] = await store.unpublished(10, []);
  expect(changed).toMatchObject({ id: ofMember, operation: 'UPDATE' });
  expect(changed?.version).toBeGreaterThan(Math.max(...known.map((each) => each.version)));
});
