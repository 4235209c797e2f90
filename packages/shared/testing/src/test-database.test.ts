import { expect, test, vi } from 'vitest';
import { pgConnection } from '@berth/db/postgres/pg-connection';
import { createTestDatabase } from './test-database.ts';

const options = { service: 'cluster-sync', migrations: new URL('../../db/src/test-migrations/', import.meta.url) };

async function queryRows(url: string, text: string): Promise<Record<string, unknown>[]> {
  await using connection = await pgConnection({ url, applicationName: 'test' });
  return await connection.query(text);
}

test('a test database has the migrated schema of its service and nothing of other services', async () => {
  const databases = await Promise.all(Array.from({ length: 4 }, () => createTestDatabase(options)));
  const [one, two] = databases;
  if (!one || !two) throw new Error('no databases');

  await queryRows(one.url, `insert into boats (name) values ('a')`);
  expect(await queryRows(two.url, 'select count(*), current_schema() from boats group by 2')).toEqual([]);
  expect(await queryRows(two.url, 'select current_schema() as schema')).toEqual([{ schema: 'cluster_sync' }]);

  await Promise.all(databases.map((database) => database[Symbol.asyncDispose]()));
  await expect(queryRows(one.url, 'select 1')).rejects.toThrow('does not exist');
});

test('without a server, a test database fails with the command that starts one', async () => {
  vi.stubEnv('TEST_DATABASE_URL', undefined);

  await expect(createTestDatabase(options)).rejects.toThrow('npm test');
  vi.unstubAllEnvs();
});
