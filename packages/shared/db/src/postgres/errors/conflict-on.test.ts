import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { statement } from '../../statement.ts';
import { conflictOn } from './conflict-on.ts';

let database: OpenTestDatabase;

beforeAll(async () => {
  database = await openTestDatabase({
    service: 'auth',
    migrations: new URL('../../test-migrations/', import.meta.url),
  });
});
afterAll(() => database?.[Symbol.asyncDispose]());

const launch = (name: string, weight: number) =>
  database.db
    .query(statement`insert into boats (name, weight) values (${name}, ${weight})`)
    .catch(conflictOn('boats_name_key', `A boat named ${name} already exists`));

test('a violation of the named constraint becomes a conflict with the given message, other violations do not', async () => {
  await launch('a', 1);

  await expect(launch('a', 1)).rejects.toMatchObject({ code: 'conflict', message: 'A boat named a already exists' });
  await expect(launch('b', -1)).rejects.not.toHaveProperty('status');
});

test('conflictOn passes other errors on', async () => {
  const other = new Error('other');

  expect(() => conflictOn('boats_name_key', 'words')(other)).toThrow(other);
  await expect(
    database.db.query(statement`insert into boats (weight) values (1)`).catch(conflictOn('boats_name_key', 'words')),
  ).rejects.not.toHaveProperty('status');
});
