import type { Observed } from '../release/observe-release.ts';

export interface Desired {
  action: 'deploy' | 'uninstall';
  taskId: string;
}

/** `adopt`: it is done already, only the news was lost. `refuse`: somebody else's data, not ours to touch. */
export type NextAction = 'adopt' | 'unlock' | 'deploy' | 'uninstall' | 'nothing' | 'refuse';

/** The whole release policy: what to do next, given what is there. Run after the claim, under the fence. */
export function nextAction(desired: Desired, observed: Observed): NextAction {
  if (observed.status === 'unreadable') return desired.action === 'deploy' ? 'refuse' : 'uninstall';
  if (desired.action === 'uninstall') return observed.status === 'absent' ? 'nothing' : 'uninstall';
  if (observed.status === 'absent') return 'deploy';
  // A run died half way. Helm refuses to go on from here, because it cannot tell a dead owner from a live one; our lease can.
  if (isCutOff(observed)) return 'unlock';
  const ours = 'taskId' in observed && observed.taskId === desired.taskId;
  return observed.status === 'deployed' && ours ? 'adopt' : 'deploy';
}

/** A run was in the middle of it. A deploy cannot go on from an `uninstalling` release either, Helm sees nothing deployed there. */
export const isCutOff = ({ status }: Observed): boolean => status.startsWith('pending-') || status === 'uninstalling';
