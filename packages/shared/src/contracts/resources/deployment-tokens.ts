import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../contract.ts';
import { Id, Timestamp } from '../fields.ts';

export const deploymentTokens = resource('deployment_tokens', {
  owner: 'auth',
  singular: 'deployment token',
  operations: {
    issue: operation({
      summary: 'A JWT with which a deployment calls back as itself (1 h)',
      allow: ourServices,
      callers: ['cluster-sync'],
      body: z.strictObject({ deployment_id: Id }),
      response: z.strictObject({ access_token: z.string(), expires_at: Timestamp }),
    }),
  },
});
