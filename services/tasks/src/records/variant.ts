import { Bug } from '@berth/contracts/errors';
import {
  type OperationName,
  operationNames,
  type RequestedOperation,
  type TaskOperation,
} from '@berth/contracts/resources/tasks/task-operation';

/** The name of an operation; also a column of the tasks table. */
export type Variant = OperationName;
export const variants = operationNames;

/** How an operation changes the release; also a column, written with each task. */
export const effects = ['installs', 'repeats', 'moves', 'removes', 'keeps'] as const;
export type Effect = (typeof effects)[number];

/** The name of an operation: its only key. */
export function variantOf(operation: TaskOperation | RequestedOperation): Variant {
  const variant = variants.find((name) => name in operation);
  if (variant === undefined) throw new Bug('An operation has exactly one known key');
  return variant;
}
