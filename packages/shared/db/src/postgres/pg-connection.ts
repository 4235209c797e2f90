import { Client } from 'pg';
import { type ConnectionOptions, connectionSettings } from './pool/connection-settings.ts';
import { fromPg } from './errors/postgres-error.ts';

/** One connection that takes SQL text as it is, which slonik refuses: for migrations and for making databases. */
export interface PgConnection extends AsyncDisposable {
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

export async function pgConnection(options: ConnectionOptions): Promise<PgConnection> {
  const client = new Client(connectionSettings(options));
  // A connection that breaks while idle emits an error; the next query fails with it.
  client.on('error', () => {});

  const rethrow = (error: unknown): never => {
    throw fromPg(error);
  };
  await client.connect().catch(rethrow);

  return {
    async query(text, values) {
      const result = await client.query(text, values).catch(rethrow);
      // A text of several statements has several results.
      return Array.isArray(result) ? [] : result.rows;
    },
    async [Symbol.asyncDispose]() {
      await client.end().catch(() => undefined);
    },
  };
}
