import type { DeploymentRecord, DeploymentState } from '../../records/deployment-record.ts';
import { differences } from './differences.ts';
import type { DeployRun } from '../../records/task-run.ts';

/** What the open tasks of a deployment will install, as far as is known before they start. */
export interface Outlook {
  /** The run of the last Install or Upgrade in the queue; scheduled changes are not made yet and do not count. */
  deploys: DeployRun | null;
  uninstalls: boolean;
}

/**
 * States without a running task. A canceled task leaves its deployment in one of them. In all other states a task will set the
 * reason.
 */
const resting: readonly DeploymentState[] = ['Running', 'Unknown', 'Uninstalled'];

export const isResting = ({ state }: Pick<DeploymentRecord, 'state'>): boolean => resting.includes(state);

/** Why a deployment at rest differs from what is wanted, and the way out; null if it does not, or an open task will fix it. */
export function restingReason(
  deployment: DeploymentRecord,
  running: DeployRun | null,
  { deploys, uninstalls }: Outlook,
): string | null {
  const { state, enabled } = deployment;
  if (!isResting(deployment)) return deployment.reason;
  if (deployment.deleting) return null;
  if (state !== 'Running') return enabled && !deploys ? notInstalled : null;
  if (!enabled) return uninstalls ? null : notUninstalled;

  const then = deploys ?? running;
  const others = then ? differences(then, deployment) : [];
  return others.length === 0 ? null : outdated(others);
}

const notInstalled = 'It is not installed: its Install was canceled. Retry that task, or disable the deployment';

const notUninstalled =
  'It is disabled and still installed: its Uninstall was canceled. Retry that task, or enable the deployment';

const outdated = (others: readonly string[]): string =>
  `It runs with another ${others.join(', ')} than it wants: the Upgrade to it failed or was canceled. Retry that task, or change the deployment`;
