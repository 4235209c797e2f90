import { Id, Json, JsonObject } from '@berth/contracts/fields/fields';
import { z } from 'zod';

const place = {
  cluster_id: Id,
  namespace: z.string(),
  deployment_name: z.string(),
  /** The name of the kind when the task was created; a later rename changes nothing that runs. */
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

export const InvokeRun = z.strictObject({
  action: z.literal('invoke'),
  ...place,
  helm_chart_id: Id,
  action_id: z.string(),
  /** As it was requested: the values of the inputs of the action's form, where it has one. */
  body: Json,
});
export type InvokeRun = z.infer<typeof InvokeRun>;

/** An object whose pods Kubernetes replaces when its template changes. */
export const RestartedObject = z.strictObject({
  kind: z.enum(['Deployment', 'StatefulSet', 'DaemonSet']),
  name: z.string(),
  uid: z.string(),
});
export type RestartedObject = z.infer<typeof RestartedObject>;

const RestartRun = z.strictObject({ action: z.literal('restart'), ...place, object: RestartedObject });
type RestartRun = z.infer<typeof RestartRun>;

/** The snapshot that a task runs. It is never read from the deployment again. */
export const TaskRun = z.discriminatedUnion('action', [DeployRun, UninstallRun, InvokeRun, RestartRun]);
export type TaskRun = z.infer<typeof TaskRun>;
