import { holderOf } from '@berth/contracts/fields/kubernetes-names';

export interface FencedClaim {
  readonly task_id: string;
  readonly fence: number;
}

/** The next step of a claim, by the holder that the fence names. `take`: it names none, or another task. */
export function fenceStep(holder: string, claim: FencedClaim): 'held' | 'taken over' | 'take' {
  if (holder === holderOf(claim)) return 'held';
  const [task, fence] = holder.split(':');
  // Taken over by a later claim of the same task, even if this one seems to have time left on its lease.
  return task === claim.task_id && Number(fence) > claim.fence ? 'taken over' : 'take';
}
