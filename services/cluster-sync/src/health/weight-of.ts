import type { ObjectState } from './objects/object-state.ts';

interface Weighed {
  readonly kind: string;
  readonly state: ObjectState;
  readonly cause: string;
}

/** The weight of a cause, by the first row that holds: the more specific, the heavier. A crash says more than that replicas are missing. */
const table: readonly [number, (cause: Weighed) => boolean][] = [
  [100, ({ kind, cause }) => kind === 'Pod' && cause === 'OOMKilled'],
  [95, ({ kind, cause, state }) => kind === 'Pod' && state === 'Degraded' && cause.endsWith('BackOff')],
  [90, ({ kind, cause, state }) => kind === 'Pod' && state === 'Degraded' && !cause.endsWith('NotReady')],
  [85, ({ kind, cause }) => kind === 'PersistentVolumeClaim' && cause === 'ClaimLost'],
  // Without pods, the workload alone knows why: a quota, or a webhook.
  [80, ({ cause }) => cause === 'FailedCreate'],
  [75, ({ kind, state }) => kind === 'Job' && state === 'Degraded'],
  [70, ({ kind, state }) => kind === 'Pod' && state === 'Degraded'],
  [65, ({ kind, state }) => kind === 'Pod' && state === 'Explains'],
  [60, ({ state }) => state === 'Degraded'],
  [50, ({ kind }) => kind === 'Pod'],
  [40, ({ state }) => state === 'Explains'],
];

export const weightOf = (cause: Weighed): number => table.find(([, holds]) => holds(cause))?.[0] ?? 10;
