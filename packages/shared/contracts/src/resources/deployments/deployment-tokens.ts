import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, Text, Timestamp } from '../../fields/fields.ts';

export const deploymentTokens = resource('deployment_tokens', {
  owner: 'auth',
  singular: 'deployment token',
  operations: {
    issue: operation({
      summary: 'A JWT with which a deployment calls back as itself (1 h); 409 where it is disabled or in another env',
      allow: ourServices,
      callers: ['cluster-sync'],
      // The env of the cluster that will store the token: after a move to another env, the old cluster gets no more tokens.
      body: z.strictObject({ deployment_id: Id, env_id: Id }),
      response: z.strictObject({
        access_token: z.string(),
        /** The address that accepts the token. */
        server_url: z.string(),
        expires_at: Timestamp,
        lifetime_seconds: z.number().int(),
      }),
    }),
    issue_for_call: operation({
      summary:
        'A JWT that proves one call into a deployment to come from Berth (5 min); its audience is the deployment',
      allow: ourServices,
      callers: ['tasks'],
      // Part of the token, so that its receiver cannot use it for another call.
      body: z.strictObject({ deployment_id: Id, method: Text.max(10), path: Text.max(2048) }),
      response: z.strictObject({ access_token: z.string(), expires_at: Timestamp }),
      idempotent: true,
    }),
  },
});
