import type { Variant } from './variant.ts';

/** How a claim ended. */
export interface EndedClaim {
  operation: Variant;
  /** `PutBack`: the task is queued again. */
  outcome: 'Done' | 'Failed' | 'Canceled' | 'PutBack';
  /** Helm, or the call of an action, had begun. */
  began: boolean;
  started_at: string | null;
}
