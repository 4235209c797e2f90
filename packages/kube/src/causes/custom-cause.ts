import { z } from 'zod';
import { type Cause, causeOfReason, ownCause } from './cause.ts';
import { type Condition, conditionOf, Conditions, count, word, wordsOf } from './conditions.ts';

const Custom = z.object({
  metadata: z.object({ generation: count, deletionTimestamp: word }).catch({}),
  status: z.object({ observedGeneration: count, conditions: Conditions }).catch({ conditions: [] }),
});

/**
 * Why a custom resource is not ready, by the conventions that Helm waits by (kstatus): it is being deleted, its controller has
 * not observed its last change, or a condition says so. Null if it is ready or has no such status. Never throws.
 */
export function customCause(object: unknown): Cause | null {
  const { data } = Custom.safeParse(object);
  if (!data) return null;
  const { metadata, status } = data;
  if (metadata.deletionTimestamp !== undefined) return ownCause('Terminating', 'it is being deleted');
  const { conditions, observedGeneration = metadata.generation } = status;

  const stalled = conditionOf(conditions, 'Stalled', 'True');
  if (stalled) return causeOfReason(stalled.reason, 'Failed', said(stalled));
  if (observedGeneration !== metadata.generation) {
    const words = `its controller has observed generation ${observedGeneration} of ${metadata.generation}`;
    return ownCause('NotReady', words);
  }
  const unready = conditions.find(({ type, status: is }) => type === 'Ready' && is !== 'True');
  const why = unready ?? conditionOf(conditions, 'Reconciling', 'True');
  return why ? causeOfReason(why.reason, 'NotReady', said(why)) : null;
}

/** Joins reason and message: the reason alone is terse, and the message is often missing. */
function said(condition: Condition): string {
  const { type, status, reason, message } = condition;
  if (reason === undefined) return message ? message : `its condition ${type} is ${status ?? 'missing'}`;
  return message ? `${reason}: ${message}` : wordsOf(condition);
}
