import { Id } from '@berth/contracts/fields/fields';
import { z } from 'zod';
import { DeployRun } from '../records/task-run.ts';

/** The input of a dry run, sealed until a runner claims it. */
export const DryRunRecord = z.strictObject({
  action: z.enum(['deploy', 'uninstall']),
  deployment_id: Id,
  cluster_id: Id,
  namespace: z.string(),
  /** Null for an uninstall. */
  run: DeployRun.nullable(),
  /** The installed revision: its secrets are hidden too. */
  revision: DeployRun.nullable(),
});
export type DryRunRecord = z.infer<typeof DryRunRecord>;
