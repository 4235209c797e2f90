import { Id, JsonObject } from '@berth/shared/contracts/fields';
import { z } from 'zod';

const place = {
  cluster_id: Id,
  namespace: z.string(),
  deployment_name: z.string(),
  /** The name of the kind when the task was made; a later rename changes nothing that runs. */
  kind: z.string(),
};

export const DeployRun = z.strictObject({
  action: z.literal('deploy'),
  ...place,
  helm_chart_id: Id,
  config: JsonObject,
  values_override: JsonObject.nullable(),
});
export type DeployRun = z.infer<typeof DeployRun>;

export const UninstallRun = z.strictObject({ action: z.literal('uninstall'), ...place });
export type UninstallRun = z.infer<typeof UninstallRun>;

/** The snapshot that a task runs: nothing of it is looked up in the deployment again. */
export const TaskRun = z.discriminatedUnion('action', [DeployRun, UninstallRun]);
export type TaskRun = z.infer<typeof TaskRun>;
