import type { SetDocument } from '../documents/set-document.ts';
import type { LiveRow } from '../live/platform-rows.ts';
import type { FieldChange } from './changed-fields.ts';

export interface Step {
  key: string;
  action: 'create' | 'change' | 'keep' | 'delete' | 'blocked';
  /** The wanted row; for a deletion, the present one. */
  document: SetDocument;
  live: LiveRow | null;
  fields: readonly FieldChange[];
  /** Why it is blocked. */
  reason: string | null;
  /** Keys of the rows that have to be there before. */
  needs: readonly string[];
}

export interface SetPlan {
  /** In the order in which they are applied. */
  steps: readonly Step[];
  /** Rows of the set that are gone or have another name: they no longer belong to it. */
  forgotten: readonly string[];
}
