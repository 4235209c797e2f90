import { holderOf } from '@berth/contracts/fields/kubernetes-names';

export interface FencedClaim {
  readonly task_id: string;
  readonly fence: number;
}

/** The next step of a claim at the fence that it finds. `take`: the fence is empty or names another task. */
export function fenceStep(holder: string, claim: FencedClaim): 'held' | 'taken over' | 'take' {
  if (holder === holderOf(claim)) return 'held';
  const [task, fence] = holder.split(':');
  // Taken over by a later claim of the same task, even if the lease of this one seems to last.
  return task === claim.task_id && Number(fence) > claim.fence ? 'taken over' : 'take';
}
