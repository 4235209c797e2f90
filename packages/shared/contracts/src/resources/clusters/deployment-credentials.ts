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
      // The claim determines deployment and namespace, so a runner cannot choose others. The runner never sees the token.
      body: z.strictObject(Claim),
      response: z.strictObject({
        expires_at: Timestamp.nullable(),
        /** Why none were written: the deployment was disabled, deleted or moved since the task was created. */
        reason: z.string().nullable(),
      }),
      idempotent: true,
    }),
    write_upstream: operation({
      summary: 'Write the credentials under their upstream name too, for a release that refers to it',
      allow: ourServices,
      callers: ['runner'],
      body: z.strictObject(Claim),
      response: z.strictObject({
        /** Why they were not written. */
        reason: z.string().nullable(),
      }),
      idempotent: true,
    }),
    remove_upstream: operation({
      summary: 'Remove the Secret with the upstream name, for a release that brings its own',
      allow: ourServices,
      callers: ['runner'],
      body: z.strictObject(Claim),
      response: z.null(),
      idempotent: true,
    }),
  },
});
