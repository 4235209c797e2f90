import { DeploymentTask } from '@berth/shared/contracts/resources/deployment-tasks';
import { z } from 'zod';
import { variants } from './variant.ts';

/** A pending or started task without its inputs, which may be megabytes, of a hundred tasks. */
export const OpenTask = DeploymentTask.pick({ id: true, status: true, first_attempted_at: true }).extend({
  variant: z.enum(variants),
  /** It runs a deploy, as far as is known before it starts. */
  deploys: z.boolean(),
  /** The deployment changes only when it starts. */
  is_scheduled: z.boolean(),
  deletes_deployment: z.boolean(),
});
export type OpenTask = z.infer<typeof OpenTask>;
