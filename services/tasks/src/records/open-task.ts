import { DeploymentTask } from '@berth/contracts/resources/tasks/deployment-tasks';
import { z } from 'zod';
import { TaskRecord } from './task-record.ts';
import { effects, variants } from './variant.ts';

/** A pending or started task without its inputs, which can be megabytes for 100 tasks. */
export const OpenTask = DeploymentTask.pick({ id: true, status: true, first_attempted_at: true }).extend({
  variant: z.enum(variants),
  effect: z.enum(effects),
  /** Whether it deploys, as far as that is known before its start. */
  deploys: z.boolean(),
  /** It changes the deployment only when it starts. */
  is_scheduled: z.boolean(),
  ...TaskRecord.pick({ deletes_deployment: true, undo: true, helm_fence: true, awaits_readiness: true }).shape,
});
export type OpenTask = z.infer<typeof OpenTask>;
