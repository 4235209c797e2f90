import type { Variant } from './variant.ts';

/** What a claim came to. */
export interface EndedClaim {
  operation: Variant;
  /** `PutBack`: the task is queued again. */
  outcome: 'Done' | 'Failed' | 'Canceled' | 'PutBack';
  /** Helm, or a call, had begun. */
  began: boolean;
  started_at: string | null;
}
