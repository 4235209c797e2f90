import { z } from 'zod';
import { anyone } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';

export const server = resource('server', {
  owner: 'api-gateway',
  singular: 'server',
  operations: {
    get: operation({
      http: 'GET /server',
      summary: 'Read the version of this server',
      allow: anyone,
      response: z.strictObject({ version: z.string() }),
    }),
  },
});
