import type { Database } from '@berth/shared/db/database';
import { openDatabase } from '@berth/shared/db/open-database';
import { silentLog } from '@berth/shared/testing/test-bus';
import { createTestDatabase } from '@berth/shared/testing/test-database';

export const migrations = new URL('../migrations/', import.meta.url);

export interface OpenTestDatabase extends AsyncDisposable {
  db: Database;
  url: string;
}

/** A database of this test file's own. */
export async function openTestDatabase(maxConnections = 10): Promise<OpenTestDatabase> {
  const database = await createTestDatabase({ service: 'tasks', migrations });
  const { url } = database;
  const db = await openDatabase({ url, migrations, log: silentLog, applicationName: 'test', maxConnections });
  return {
    db,
    url,
    async [Symbol.asyncDispose]() {
      await db[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
