export interface FencedClaim {
  readonly task_id: string;
  readonly fence: number;
}

export const holderOf = ({ task_id, fence }: FencedClaim): string => `${task_id}:${fence}`;

/** What a claim does about the fence that it finds. `take`: it names no claim, or that of another task. */
export function fenceStep(holder: string, claim: FencedClaim): 'held' | 'taken over' | 'take' {
  if (holder === holderOf(claim)) return 'held';
  const [task, fence] = holder.split(':');
  // A later claim of the same task: this one is over, even if its lease seems to last.
  return task === claim.task_id && Number(fence) > claim.fence ? 'taken over' : 'take';
}
