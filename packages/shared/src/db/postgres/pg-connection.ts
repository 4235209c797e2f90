import { Client } from 'pg';
import { type ConnectionOptions, connectionSettings } from './connection-settings.ts';
import { fromPg } from './postgres-error.ts';

/** One connection that takes SQL text as it is, which slonik refuses: for migrations and for making databases. */
export interface PgConnection extends AsyncDisposable {
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

export async function pgConnection(options: ConnectionOptions): Promise<PgConnection> {
  const client = new Client(connectionSettings(options));
  // A connection that breaks while idle tells it here; the next query fails and says so.
  client.on('error', () => {});

  const told = (error: unknown): never => {
    throw fromPg(error);
  };
  await client.connect().catch(told);

  return {
    async query(text, values) {
      const result = await client.query(text, values).catch(told);
      // A text of several statements has several results.
      return Array.isArray(result) ? [] : result.rows;
    },
    async [Symbol.asyncDispose]() {
      await client.end().catch(() => undefined);
    },
  };
}
