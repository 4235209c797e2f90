import type { Database } from '@berth/db/database';
import { type DatabaseOptions, openDatabase } from '@berth/db/postgres/open-database';
import { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './test-database.ts';

export type OpenTestDatabase = TestDatabase & { readonly db: Database };

const quiet = { info: () => {}, warn: () => {} };

/** A new database with a pool; disposing of it drops both. */
export async function openTestDatabase(
  options: TestDatabaseOptions & Partial<DatabaseOptions>,
): Promise<OpenTestDatabase> {
  await using opening = new AsyncDisposableStack();
  const { name, url } = opening.use(await createTestDatabase(options));
  const db = opening.use(await openDatabase({ applicationName: options.service, log: quiet, ...options, url }));
  const opened = opening.move();
  return { name, url, db, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
