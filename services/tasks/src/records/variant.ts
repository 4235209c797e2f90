import {
  type OperationName,
  operationNames,
  type RequestedOperation,
  type TaskOperation,
} from '@berth/contracts/resources/tasks/task-operation';

/** The name of an operation, also a column of the table. */
export type Variant = OperationName;
export const variants = operationNames;

/** The one key of an operation. */
export function variantOf(operation: TaskOperation | RequestedOperation): Variant {
  const variant = variants.find((name) => name in operation);
  if (variant === undefined) throw new Error('An operation has exactly one known key');
  return variant;
}
