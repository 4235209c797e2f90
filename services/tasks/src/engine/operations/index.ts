import type { RequestedOperation, TaskOperation } from '@berth/contracts/resources/tasks/task-operation';
import { deploymentPaths, type FieldPaths } from '../../records/field-paths.ts';
import { type Variant, variantOf } from '../../records/variant.ts';
import type { Needs, Operation } from './operation.ts';
import { install } from './install.ts';
import { invokeAction } from './invoke-action.ts';
import { recreate } from './recreate.ts';
import { reinstall } from './reinstall.ts';
import { restartK8sResource } from './restart-k8s-resource.ts';
import { uninstall } from './uninstall.ts';
import { upgrade } from './upgrade.ts';

/** All operations; leaving one of the contract out is a type error. */
export const operations: Record<Variant, Operation> = {
  Install: install,
  Upgrade: upgrade,
  Reinstall: reinstall,
  Recreate: recreate,
  Uninstall: uninstall,
  InvokeAction: invokeAction,
  RestartK8sResource: restartK8sResource,
};

type Named = TaskOperation | RequestedOperation;

export const operationOf = (operation: Named): Operation => operations[variantOf(operation)];

export const needsOf = (operation: Named): Needs => operationOf(operation).needs?.(operation) ?? {};

/** The changed fields of a deployment that a task carries. */
export const pathsOf = (variant: Variant): FieldPaths => operations[variant].change?.paths ?? deploymentPaths;
