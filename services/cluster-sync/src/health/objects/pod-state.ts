import type { Cause } from '@berth/kube/causes/cause';
import { listOf, word } from '@berth/kube/causes/conditions';
import { z } from 'zod';
import type { ObjectState } from './object-state.ts';

const Owner = z.object({ kind: z.string(), controller: z.boolean().optional().catch(undefined) });
const Condition = z.object({ type: z.string(), status: word, lastTransitionTime: word });
const Container = z.object({
  state: z.object({ running: z.object({ startedAt: word }).optional().catch(undefined) }).catch({}),
  lastState: z
    .object({
      terminated: z
        .object({ exitCode: z.number().optional().catch(undefined) })
        .optional()
        .catch(undefined),
    })
    .catch({}),
});

const Pod = z.object({
  metadata: z.object({ deletionTimestamp: word, ownerReferences: listOf(Owner) }).catch({ ownerReferences: [] }),
  status: z
    .object({ phase: word, reason: word, conditions: listOf(Condition), containerStatuses: listOf(Container) })
    .catch({ conditions: [], containerStatuses: [] }),
});
type Pod = z.infer<typeof Pod>;

/** A container with one of these reasons does not start without intervention. */
const isStuck = (cause: string) => /BackOff$|^Err|Error$|^InvalidImageName$|^OOMKilled$|^ContainerExited$/.test(cause);

/** What a pod says of the health of its deployment; the first row that holds decides. */
export function podState(object: unknown, cause: Cause | null): ObjectState | null {
  const { data } = Pod.safeParse(object);
  if (!data || cause === null) return null;
  const { metadata, status } = data;
  const controller = metadata.ownerReferences.find((owner) => owner.controller)?.kind;
  if (metadata.deletionTimestamp !== undefined) return cause.cause === 'NodeLost' && controller ? 'Explains' : null;
  // Its controller replaces it, or ends: a Job retries, and a pod that was evicted stays listed for days.
  if (status.phase === 'Failed') return controller ? 'Explains' : 'Degraded';
  if (isStuck(cause.cause) || hasCrashed(data) || status.reason !== undefined) return 'Degraded';
  if (cause.cause === 'NodeLost' || wasReady(data)) return 'Degraded';
  // Jobs of a CronJob start every minute.
  return controller === 'Job' ? 'Waiting' : 'Progressing';
}

/** A container runs again after a crash, and is not ready yet. */
const hasCrashed = ({ status }: Pod): boolean =>
  status.containerStatuses.some(({ lastState }) => (lastState.terminated?.exitCode ?? 0) !== 0);

/** It has been ready before: its condition changed after its containers started. That of a new pod is older than its containers. */
function wasReady({ status }: Pod): boolean {
  const since = status.conditions.find(({ type, status: is }) => type === 'Ready' && is !== 'True')?.lastTransitionTime;
  const starts = status.containerStatuses.map(({ state }) => Date.parse(state.running?.startedAt ?? ''));
  // False as well if a container does not run, or a time is missing.
  return starts.length > 0 && starts.every((start) => start < Date.parse(since ?? ''));
}
