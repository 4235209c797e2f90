import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Claim } from '../../fields/claim.ts';
import { Timestamp } from '../../fields/fields.ts';

export const deploymentCredentials = resource('deployment_credentials', {
  owner: 'cluster-sync',
  singular: 'service-creds',
  operations: {
    write: operation({
      summary: 'Write the Secret service-creds into the namespace of a claimed task, before its pods start',
      allow: ourServices,
      callers: ['runner'],
      // The claim names deployment and namespace, so a runner cannot choose others. The token never reaches the runner.
      body: z.strictObject(Claim),
      response: z.strictObject({
        expires_at: Timestamp.nullable(),
        /** Why there is none: the deployment was disabled, deleted or moved since the task was made. */
        reason: z.string().nullable(),
      }),
      idempotent: true,
    }),
  },
});
