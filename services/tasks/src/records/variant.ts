import type { TaskOperation } from '@berth/shared/contracts/resources/task-operation';
import type { DeploymentState } from '../records/deployment-record.ts';

export const variants = [
  'Install',
  'Upgrade',
  'Reinstall',
  'Recreate',
  'Uninstall',
  'InvokeAction',
  'RestartK8sResource',
] as const;
export type Variant = (typeof variants)[number];

/** The one key of an operation. */
export function variantOf(operation: TaskOperation): Variant {
  const variant = variants.find((name) => name in operation);
  if (variant === undefined) throw new Error('An operation has exactly one known key');
  return variant;
}

/** What the deployment shows while such a task runs; null where it does not show. */
export const stateWhile = {
  Install: 'Installing',
  Upgrade: 'Upgrading',
  Reinstall: 'Upgrading',
  Recreate: 'Renaming',
  Uninstall: 'Uninstalling',
  InvokeAction: null,
  RestartK8sResource: null,
} as const satisfies Record<Variant, DeploymentState | null>;
