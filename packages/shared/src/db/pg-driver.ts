import { Client, type ClientConfig } from 'pg';
import { createDriverFactory, type DriverFactory, type DriverQueryResult } from 'slonik';
import { fromPg } from './postgres-error.ts';
import { statementNames } from './statement-names.ts';

const commands = ['COPY', 'DELETE', 'INSERT', 'SELECT', 'UPDATE'] as const;
const commandOf = (command: string): DriverQueryResult['command'] =>
  commands.find((known) => known === command) ?? 'SELECT';

/**
 * slonik's own driver needs a live Postgres when the pool is made, knows no deadline of ours, no lock timeout and no
 * prepared statements, runs DISCARD ALL after every query, and leaves values in its errors.
 */
export const pgDriver = (settings: ClientConfig): DriverFactory => {
  const nameOf = statementNames();

  return createDriverFactory(async () => ({
    createPoolClient: async ({ clientEventEmitter }) => {
      const client = new Client(settings);
      client.on('error', (error) => clientEventEmitter.emit('error', fromPg(error)));

      return {
        connect: async () => {
          await client.connect().catch((error: unknown) => {
            throw fromPg(error);
          });
        },
        end: async () => {
          await client.end();
        },
        query: async (text, values = []) => {
          const name = nameOf(text);
          const result = await client.query({ text, values, ...(name && { name }) }).catch((error: unknown) => {
            throw fromPg(error);
          });
          return {
            command: commandOf(result.command),
            fields: result.fields.map(({ dataTypeID, name }) => ({ dataTypeId: dataTypeID, name })),
            rowCount: result.rowCount,
            rows: result.rows,
          };
        },
        stream: () => {
          throw new Error('Lists are read page by page, not streamed');
        },
      };
    },
  }));
};
