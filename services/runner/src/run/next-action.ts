import type { Observed } from '../release/observe-release.ts';

export interface Desired {
  action: 'deploy' | 'uninstall';
  taskId: string;
}

/** `adopt`: already deployed, but its outcome was not recorded. `refuse`: data that Helm did not write, which Berth leaves alone. */
export type NextAction = 'adopt' | 'unlock' | 'deploy' | 'uninstall' | 'nothing' | 'refuse';

/** The whole release policy: the next action for the observed release. Decided under the claim's fence. */
export function nextAction(desired: Desired, observed: Observed): NextAction {
  if (observed.status === 'unreadable') return desired.action === 'deploy' ? 'refuse' : 'uninstall';
  if (desired.action === 'uninstall') return observed.status === 'absent' ? 'nothing' : 'uninstall';
  if (observed.status === 'absent') return 'deploy';
  // Helm refuses to continue here, because it cannot tell a dead owner from a live one; the lease can.
  if (isInterrupted(observed)) return 'unlock';
  const isOfThisTask = 'taskId' in observed && observed.taskId === desired.taskId;
  return observed.status === 'deployed' && isOfThisTask ? 'adopt' : 'deploy';
}

/** A run ended halfway. A deploy cannot continue from an `uninstalling` release either: Helm finds no deployed revision. */
export const isInterrupted = ({ status }: Observed): boolean =>
  status.startsWith('pending-') || status === 'uninstalling';
