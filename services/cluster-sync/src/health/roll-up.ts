import { byText } from '@berth/contracts/by-text';
import {
  HealthCause,
  mostCauses,
  type ReportedHealthState,
} from '@berth/contracts/resources/deployments/deployment-health';
import { z } from 'zod';
import { ObjectState } from './objects/object-state.ts';
import { weightOf } from './weight-of.ts';

/** An object that says something of the health of its deployment. Times are ISO strings. */
export const HealthObject = z.object({
  id: z.string(),
  kind: z.string(),
  name: z.string(),
  state: ObjectState,
  since: z.string(),
  cause: z.string().nullable(),
  message: z.string().nullable(),
  parent_id: z.string().nullable(),
  parent_kind: z.string().nullable(),
  created_at: z.string().nullable(),
});
export type HealthObject = z.infer<typeof HealthObject>;

export const ObservedCause = HealthCause.extend({
  /** Its weight; larger is more specific. Rows are stored under this name, which the version before reads too. */
  telling: z.number(),
});
export type ObservedCause = z.infer<typeof ObservedCause>;

export interface Observed {
  readonly state: ReportedHealthState;
  readonly causes: ObservedCause[];
}

export interface RolledUp extends Observed {
  /** When time alone changes the result; null: never. */
  readonly changesAt: string | null;
}

/** As long as Kubernetes gives a rollout by default. */
export const patienceMs = 600_000;
/** An object that ended this long before the trouble of its workload began does not explain it. */
const earlierMs = 60_000;

/** Kinds of workloads that run until they are told to stop. */
const standing = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'CronJob']);

/** The health of a deployment from its objects; null without any. */
export function rollUp(objects: readonly HealthObject[], now: string): RolledUp | null {
  if (objects.length === 0) return null;
  const family = familyOf(objects);
  const counted = objects.filter((object) => counts(object, family));
  const troubled = counted.filter(
    ({ state }) => state === 'Degraded' || state === 'Progressing' || state === 'Waiting',
  );
  const aged = troubled.map((object) => ({ ...object, state: stateAt(object, now) }));
  const degraded = aged.filter(({ state }) => state === 'Degraded');
  const progressing = aged.filter(({ state }) => state === 'Progressing');
  const unwell = [...degraded, ...progressing];
  const explaining = counted.filter(({ state, since }) => state === 'Explains' && explains(since, unwell));

  const waits = aged.flatMap(({ state, since }) => (state === 'Degraded' ? [] : [Date.parse(since) + patienceMs]));
  return {
    state: degraded.length > 0 ? 'Degraded' : progressing.length > 0 ? 'Progressing' : restingState(counted),
    causes: heaviestFirst([...unwell, ...explaining]),
    changesAt: waits.length === 0 ? null : new Date(Math.min(...waits)).toISOString(),
  };
}

/** Two kinds of objects say nothing about the present: pods of a hook's Job, and all Jobs of a CronJob but the newest. */
function counts({ kind, parent_kind, parent_id, created_at }: HealthObject, { ids, newestJobs }: Family): boolean {
  if (kind === 'Pod' && parent_kind === 'Job') return parent_id !== null && ids.has(parent_id);
  if (kind !== 'Job' || parent_kind !== 'CronJob') return true;
  return (created_at ?? '') >= (newestJobs.get(parent_id) ?? '');
}

interface Family {
  readonly ids: ReadonlySet<string>;
  /** When the newest Job of each CronJob was created. */
  readonly newestJobs: ReadonlyMap<string | null, string>;
}

/** Made in one pass: a tenant may have as many Jobs as the roll-up reads, in each of its namespaces. */
function familyOf(objects: readonly HealthObject[]): Family {
  const newestJobs = new Map<string | null, string>();
  for (const { kind, parent_id, created_at } of objects) {
    if (kind === 'Job' && (created_at ?? '') > (newestJobs.get(parent_id) ?? ''))
      newestJobs.set(parent_id, created_at ?? '');
  }
  return { ids: new Set(objects.map(({ id }) => id)), newestJobs };
}

function stateAt({ state, since }: HealthObject, now: string): ObjectState {
  const isOver = Date.parse(now) - Date.parse(since) >= patienceMs;
  return isOver ? 'Degraded' : state;
}

const explains = (since: string, unwell: readonly HealthObject[]): boolean =>
  unwell.some((object) => Date.parse(since) >= Date.parse(object.since) - earlierMs);

/** Suspended: there are workloads, and all of them are scaled to nothing. */
function restingState(objects: readonly HealthObject[]): ReportedHealthState {
  const workloads = objects.filter(({ kind }) => standing.has(kind));
  return workloads.length > 0 && workloads.every(({ state }) => state === 'Suspended') ? 'Suspended' : 'Healthy';
}

function heaviestFirst(objects: readonly HealthObject[]): ObservedCause[] {
  const causes = objects.map((object): ObservedCause & { repeats: number } => {
    const { kind, name, since, state } = object;
    const words = state === 'Progressing' ? ['Progressing', 'it is being rolled out'] : ['NotReady', 'it is not ready'];
    const cause = object.cause ?? words[0] ?? '';
    const message = object.message ?? words[1] ?? '';
    return { kind, name, cause, message, since, telling: weightOf({ kind, state, cause }), repeats: 0 };
  });
  const sorted = causes.toSorted((a, b) => b.telling - a.telling || byText(a.since, b.since) || byText(a.name, b.name));
  // Ten pods with the same cause would hide another one.
  const seen = new Map<string, number>();
  return sorted
    .map((cause) => {
      const key = `${cause.kind} ${cause.cause}`;
      const repeats = seen.get(key) ?? 0;
      seen.set(key, repeats + 1);
      return { ...cause, repeats };
    })
    .toSorted((a, b) => Math.min(a.repeats, 3) - Math.min(b.repeats, 3))
    .slice(0, mostCauses)
    .map(({ repeats: _repeats, ...cause }) => cause);
}
