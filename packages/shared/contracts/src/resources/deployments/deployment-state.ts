import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Deployment } from './deployments.ts';
import { Id } from '../../fields/fields.ts';

/** The facts from which the identity of a deployment is built. */
export const CallingDeployment = Deployment.pick({ id: true, name: true, env_id: true, enabled: true }).extend({
  /** The env in which it runs: while a move waits, that of its old place. Null if nothing is installed; absent in the version before. */
  installed_env_id: Id.nullable().optional(),
});
export type CallingDeployment = z.infer<typeof CallingDeployment>;

/** Read from the owner: the identity of a deployment must not rely on a projection, which may lag. */
export const deploymentState = resource('deployment_state', {
  owner: 'tasks',
  singular: 'deployment',
  operations: {
    now: operation({
      summary: 'Name, env and whether a deployment is enabled, as they are now; null if it was deleted',
      allow: ourServices,
      callers: ['auth'],
      body: z.strictObject({ deployment_id: Id }),
      response: z.strictObject({ deployment: CallingDeployment.nullable() }),
      idempotent: true,
    }),
  },
});
