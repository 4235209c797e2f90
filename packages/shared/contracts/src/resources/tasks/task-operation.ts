import { z } from 'zod';
import { ConfigInputs, ValuesOverride } from '../deployments/deployment-inputs.ts';
import { Id, Json, JsonObject, Reason, Text, text } from '../../fields/fields.ts';
import { jsonWithin } from '../../fields/json-bytes.ts';
import { oneKeyOf } from '../../fields/one-key-of.ts';

/** The changes from dotted path to `[old, new]`: objects recurse, arrays compare whole, a missing side is null. */
export const ConfigDelta = z.record(Text, z.tuple([Json, Json]));
export type ConfigDelta = z.infer<typeof ConfigDelta>;

const Install = z.strictObject({
  helm_chart_id: Id,
  config_inputs: JsonObject,
  values_override: JsonObject.nullable(),
});

const Recreate = z.strictObject({
  old_cluster_id: Id,
  old_namespace: Text.max(253),
  new_cluster_id: Id,
  new_namespace: Text.max(253),
});

const otherVariants = {
  Reinstall: z.strictObject({ reason: Reason }),
  Recreate,
  Uninstall: z.strictObject({}),
  InvokeAction: z.strictObject({ helm_chart_id: Id, action_id: text(1, 100), body: jsonWithin(256 * 1024) }),
  RestartK8sResource: z.strictObject({ resource_id: Id, resource_name: text(1, 253) }),
};

const operations = {
  Install,
  Upgrade: Install.extend({
    prev_helm_chart_id: Id.nullable(),
    config_delta: ConfigDelta.nullable(),
    /** For a rollback: the task whose chart, inputs and override it restores. */
    rollback_to_task_id: Id.optional(),
  }),
  ...otherVariants,
};
export type OperationName = keyof typeof operations;
export const operationNames = Object.keys(operations) as OperationName[];

/** An operation: an object with exactly one key, its name. */
export const TaskOperation = oneKeyOf(operations);
export type TaskOperation = z.infer<typeof TaskOperation>;

const RequestedInstall = z.strictObject({
  helm_chart_id: Id,
  config_inputs: ConfigInputs,
  values_override: ValuesOverride,
});

/**
 * The operation in a request. The previous chart, the delta and the task of a rollback are computed; values that a caller sends
 * for them are ignored.
 */
export const RequestedOperation = oneKeyOf({
  Install: RequestedInstall,
  Upgrade: RequestedInstall.extend({
    prev_helm_chart_id: Id.nullable().optional(),
    config_delta: ConfigDelta.nullable().optional(),
    rollback_to_task_id: Id.optional(),
  }),
  ...otherVariants,
});
export type RequestedOperation = z.infer<typeof RequestedOperation>;
