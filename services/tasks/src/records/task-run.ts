import { Id, Json, JsonObject } from '@berth/contracts/fields/fields';
import { z } from 'zod';

const place = {
  cluster_id: Id,
  namespace: z.string(),
  deployment_name: z.string(),
  /** The kind's name when the task was created; renaming the kind does not change the task. */
  kind: z.string(),
};

export const DeployRun = z.strictObject({
  action: z.literal('deploy'),
  ...place,
  helm_chart_id: Id,
  config: JsonObject,
  values_override: JsonObject.nullable(),
  /** The release exists already, and somebody else's Helm made it. */
  adopts: z.literal(true).optional(),
});
export type DeployRun = z.infer<typeof DeployRun>;

export const UninstallRun = z.strictObject({ action: z.literal('uninstall'), ...place });
export type UninstallRun = z.infer<typeof UninstallRun>;

export const InvokeRun = z.strictObject({
  action: z.literal('invoke'),
  ...place,
  helm_chart_id: Id,
  action_id: z.string(),
  /** As requested: the inputs of the action, if the action has a form. */
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

/** A task's snapshot of its run; it is never read from the deployment again. */
export const TaskRun = z.discriminatedUnion('action', [DeployRun, UninstallRun, InvokeRun, RestartRun]);
export type TaskRun = z.infer<typeof TaskRun>;
