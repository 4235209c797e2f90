import { EgressRefused, ReplyTooLarge } from '@berth/egress/egress-errors';
import { RegistryError } from './registry-error.ts';

/** Why a scan failed, as a label: `refused` is the rule of egress, `other` is a bug or the database. */
export type FailureCause = RegistryError['reason'] | 'refused' | 'other';

export function failureCause(failure: unknown): FailureCause {
  if (failure instanceof RegistryError) return failure.reason;
  if (failure instanceof EgressRefused) return 'refused';
  return failure instanceof ReplyTooLarge ? 'malformed' : 'other';
}
