import { Client } from 'pg';
import { type ConnectionOptions, connectionSettings } from './pool/connection-settings.ts';
import { fromPg } from './errors/postgres-error.ts';

/** One connection that accepts plain SQL text, which slonik refuses: for migrations and for creating databases. */
export interface PgConnection extends AsyncDisposable {
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

export async function pgConnection(options: ConnectionOptions): Promise<PgConnection> {
  const client = new Client(connectionSettings(options));
  // If a connection breaks while idle, it emits an error; the next query then fails.
  client.on('error', () => {});

  const rethrow = (error: unknown): never => {
    throw fromPg(error);
  };
  await client.connect().catch(rethrow);

  return {
    async query(text, values) {
      const result = await client.query(text, values).catch(rethrow);
      // A text with several statements has several results.
      return Array.isArray(result) ? [] : result.rows;
    },
    async [Symbol.asyncDispose]() {
      await client.end().catch(() => undefined);
    },
  };
}
