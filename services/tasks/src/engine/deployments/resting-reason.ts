import type { DeploymentRecord, DeploymentState } from '../../records/deployment-record.ts';
import { differences } from './differences.ts';
import type { DeployRun } from '../../records/task-run.ts';

/** The chart and config that a deployment's open tasks will install, as far as they are known before the start. */
export interface Outlook {
  /** The run of the last queued Install or Upgrade. Scheduled changes do not count: they are made when they start. */
  deploys: DeployRun | null;
  uninstalls: boolean;
}

/**
 * States without a running task; a canceled task leaves its deployment in one of them. In every other state, a task will set the
 * reason.
 */
const resting: readonly DeploymentState[] = ['Running', 'Unknown', 'Uninstalled'];

export const isResting = ({ state }: Pick<DeploymentRecord, 'state'>): boolean => resting.includes(state);

/**
 * Why a deployment without running tasks differs from its configuration, and what to do about it. Null if they agree or an open
 * task will fix it.
 */
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
