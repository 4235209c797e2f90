import type { Variant } from '../../records/variant.ts';
import type { Operation } from './operation.ts';
import { install } from './install.ts';
import { invokeAction } from './invoke-action.ts';
import { recreate } from './recreate.ts';
import { reinstall } from './reinstall.ts';
import { restartK8sResource } from './restart-k8s-resource.ts';
import { uninstall } from './uninstall.ts';
import { upgrade } from './upgrade.ts';

/** All operations; one that the contract has and that is missing here does not compile. */
export const operations: Record<Variant, Operation> = {
  Install: install,
  Upgrade: upgrade,
  Reinstall: reinstall,
  Recreate: recreate,
  Uninstall: uninstall,
  InvokeAction: invokeAction,
  RestartK8sResource: restartK8sResource,
};
