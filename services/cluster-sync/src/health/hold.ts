import {
  type ReportedHealth,
  ReportedHealthState,
  mostCauses,
} from '@berth/contracts/resources/deployments/deployment-health';
import { startOf } from '@berth/contracts/cut-text';
import { z } from 'zod';
import { ObservedCause, type Observed } from './roll-up.ts';

/** What is kept of one roll-up for the next. Times are ISO strings. */
export const Held = z.object({
  shown: z.object({ state: ReportedHealthState, since: z.string(), causes: z.array(ObservedCause) }),
  /** What was observed last, which may be better than what is shown. */
  observed: ReportedHealthState,
  /** When each bad state ended, while it is still shown. */
  left: z.object({ Degraded: z.string().optional(), Progressing: z.string().optional() }),
  /** How long the first cause stays after it was last observed. */
  firstUntil: z.string().nullable(),
  /** Since when the deployment has no objects. */
  goneAt: z.string().optional(),
});
export type Held = z.infer<typeof Held>;

/** How long a bad state is still shown after it has ended. */
const holdMs = 30_000;

const badness: Record<ReportedHealthState, number> = { Healthy: 0, Suspended: 0, Progressing: 1, Degraded: 2 };

/**
 * What to show: the worst state that was observed within the last 30 s. So a worse state is shown at once, and a better one once it
 * has lasted; a workload that crashes again and again does not look healthy in between.
 */
export function hold(before: Held | null, observed: Observed, now: string): { held: Held; changesAt: string | null } {
  if (!before) {
    const shown = { ...observed, since: now };
    return { held: { shown, observed: observed.state, left: {}, firstUntil: null }, changesAt: null };
  }
  const left = leftAfter(before, observed.state, now);
  const state = worstOf(observed.state, left);
  const isHeld = state !== observed.state;
  const kept = isHeld && state === before.shown.state ? before.shown.causes : observed.causes;
  const { first, until } = isHeld ? { first: null, until: null } : firstCause(before, observed, now);
  const causes = first ? [first, ...kept.filter((cause) => !isSameObject(cause, first))] : kept;

  const held: Held = {
    shown: {
      state,
      since: sinceOf(before, state, now),
      causes: badness[state] === 0 ? [] : causes.slice(0, mostCauses),
    },
    observed: observed.state,
    left,
    firstUntil: until,
  };
  const ends = [left.Degraded, left.Progressing].flatMap((time) => (time === undefined ? [] : [later(time)]));
  return { held, changesAt: [...ends, ...(until === null ? [] : [until])].toSorted()[0] ?? null };
}

const later = (time: string): string => new Date(Date.parse(time) + holdMs).toISOString();

/** A bad state that was observed until now has just ended; those that ended long ago are forgotten. */
function leftAfter({ left, observed: last }: Held, state: ReportedHealthState, now: string): Held['left'] {
  const { Degraded, Progressing }: Held['left'] = { ...left, ...(badness[last] > 0 && { [last]: now }) };
  const isShown = (bad: 'Degraded' | 'Progressing', time: string | undefined) =>
    time !== undefined && badness[bad] > badness[state] && later(time) > now;
  return {
    ...(isShown('Degraded', Degraded) && { Degraded }),
    ...(isShown('Progressing', Progressing) && { Progressing }),
  };
}

const worstOf = (state: ReportedHealthState, left: Held['left']): ReportedHealthState =>
  left.Degraded !== undefined ? 'Degraded' : left.Progressing !== undefined ? 'Progressing' : state;

/** A better state began when the worse one was last observed, not when it was last shown. */
function sinceOf({ shown, left }: Held, state: ReportedHealthState, now: string): string {
  if (state === shown.state) return shown.since;
  const isBetter = badness[state] < badness[shown.state];
  return isBetter && (shown.state === 'Degraded' || shown.state === 'Progressing') ? (left[shown.state] ?? now) : now;
}

/**
 * Keeps the first cause of the last roll-up in first place while it is observed, and a while longer, unless another cause has more weight.
 * Otherwise the reason would flicker: the causes of a crashing pod change with each restart.
 */
function firstCause(
  { shown, firstUntil }: Held,
  { state, causes }: Observed,
  now: string,
): { first: ObservedCause | null; until: string | null } {
  const [before] = shown.causes;
  const [first] = causes;
  const isOther = badness[state] < badness[shown.state] || badness[state] === 0;
  if (!before || isOther || (first && first.telling > before.telling)) return { first: null, until: null };
  const again = causes.find((cause) => isSameObject(cause, before) && cause.cause === before.cause);
  if (again) return { first: again, until: null };
  const until = firstUntil ?? later(now);
  return until > now ? { first: before, until } : { first: null, until: null };
}

const isSameObject = (one: ObservedCause, other: ObservedCause): boolean =>
  one.kind === other.kind && one.name === other.name;

/** The report to `tasks`. */
export function reportedHealth({ shown: { state, since, causes } }: Held): ReportedHealth {
  const [first] = causes;
  const more = causes.length > 1 ? `; and ${causes.length - 1} more` : '';
  const reason = first ? `${first.kind} ${first.name}: ${first.message}${more}` : 'it has just recovered';
  return {
    state,
    since,
    reason: badness[state] === 0 ? null : startOf(reason, 1_000),
    causes: causes.map(({ telling: _telling, ...cause }) => cause),
  };
}
