import { z } from 'zod';
import { signedIn } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id } from '../../fields/fields.ts';

const tableNames = /^[a-z0-9_]{1,50}(?:,[a-z0-9_]{1,50}){0,49}$/;

export const events = resource('events', {
  owner: 'api-gateway',
  singular: 'event stream',
  operations: {
    stream: operation({
      http: 'GET /events',
      summary: 'Follow the changes of all rows that the caller may see, as server-sent events',
      allow: signedIn,
      query: z.strictObject({
        tables: z.string().regex(tableNames, 'must be names of tables, separated by commas').optional(),
        env_id: Id.optional(),
      }),
      response: z.string(),
      produces: 'text/event-stream',
    }),
  },
});
