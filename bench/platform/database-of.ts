import type { Stack } from '@berth/devstack';
import { Client } from 'pg';

/** A connection to the platform's database, to fill its tables. */
export async function databaseOf({ databaseAdminUrl }: Stack): Promise<Client & AsyncDisposable> {
  const url = Object.assign(new URL(databaseAdminUrl), { pathname: '/berth' }).href;
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('set search_path to tasks');
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
