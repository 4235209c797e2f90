import { nextPause } from './next-pause.ts';

/** The next step of a reflector. `include`: list namespaces that became tracked while the watch ran. */
type Step = 'list' | 'include' | 'watch';

export interface ReflectorState {
  readonly step: Step;
  /** How long to wait before the step. */
  readonly pauseMs: number;
  /** The version from which the watch continues; null before the first list. */
  readonly resourceVersion: string | null;
  /** Consecutive watches that failed or fell silent without an event. */
  readonly fruitless: number;
  /** The last pause after a failure; the next one is longer. */
  readonly backoffMs: number;
  /** When the last list began, and when the last completed one began. */
  readonly listTriedAt: number;
  readonly listedAt: number;
}

/** The outcome of a step. `resourceVersion` is the last one received, so that no event is requested twice. */
export type Outcome =
  | { readonly kind: 'listed'; readonly resourceVersion: string }
  | { readonly kind: 'included' }
  | { readonly kind: 'interrupted'; readonly resourceVersion: string }
  | { readonly kind: 'ended'; readonly resourceVersion: string }
  | { readonly kind: 'silent'; readonly resourceVersion: string }
  | { readonly kind: 'expired' }
  | {
      readonly kind: 'failed';
      readonly resourceVersion: string | null;
      readonly retryAfterMs: number | null;
      readonly error: unknown;
    };

export interface Chance {
  /** When the step began. */
  readonly startedAt: number;
  readonly now: number;
  /** From 0 to 1. */
  readonly random: number;
  readonly resyncMs: number;
}

/** The shortest time between two lists of a kind, however the API server behaves. */
const listGapMs = 5_000;
/** After this many consecutive watches without an event the resource version is suspect. */
const fruitlessLimit = 5;
/** A server that ends a watch this soon is failing, even if it answers with success. */
const hastyMs = 1_000;
const longestRetryAfterMs = 60_000;

const longAgo = Number.NEGATIVE_INFINITY;
export const initialState: ReflectorState = {
  step: 'list',
  pauseMs: 0,
  resourceVersion: null,
  fruitless: 0,
  backoffMs: 0,
  listTriedAt: longAgo,
  listedAt: longAgo,
};

/** The whole policy of a reflector; it does no I/O, so its test is a table. */
export function nextStep(state: ReflectorState, outcome: Outcome, chance: Chance): ReflectorState {
  const was = state.step === 'list' ? { ...state, listTriedAt: chance.startedAt } : state;
  const at = (step: Step, changes: Partial<ReflectorState>) => withDueList({ ...was, ...changes, step }, chance);
  const calm = { fruitless: 0, backoffMs: 0, pauseMs: 0 };

  switch (outcome.kind) {
    case 'listed':
      return at('watch', { ...calm, resourceVersion: outcome.resourceVersion, listedAt: chance.startedAt });
    case 'included':
      return at('watch', calm);
    case 'interrupted':
      return at('include', { ...calm, resourceVersion: outcome.resourceVersion });
    case 'expired':
      return at('list', { ...calm, resourceVersion: null });
    case 'silent':
      return at('watch', { pauseMs: 0, ...fruitOf(was, outcome.resourceVersion) });
    case 'ended':
      return outcome.resourceVersion === was.resourceVersion && chance.now - chance.startedAt < hastyMs
        ? at('watch', { ...backOff(was, null, chance), ...fruitOf(was, outcome.resourceVersion) })
        : at('watch', { ...calm, resourceVersion: outcome.resourceVersion });
    default:
      return at(was.step, {
        ...backOff(was, outcome.retryAfterMs, chance),
        ...(was.step === 'watch' && fruitOf(was, outcome.resourceVersion)),
      });
  }
}

/** A watch that delivered an event before it failed proves that its version is valid. */
const fruitOf = (state: ReflectorState, resourceVersion: string | null) => ({
  resourceVersion,
  fruitless: resourceVersion === state.resourceVersion ? state.fruitless + 1 : 1,
});

function backOff(state: ReflectorState, retryAfterMs: number | null, { random }: Chance) {
  const backoffMs = nextPause(state.backoffMs, random);
  const requestedMs = Math.min(retryAfterMs ?? 0, longestRetryAfterMs);
  return { backoffMs, pauseMs: Math.max(backoffMs, requestedMs) };
}

/** Turns a watch into a list if its version is suspect or a resync is due, and keeps the minimum time between lists. */
function withDueList(state: ReflectorState, { now, resyncMs }: Chance): ReflectorState {
  const { resourceVersion, fruitless, listedAt, listTriedAt } = state;
  const isSuspect = resourceVersion === null || fruitless >= fruitlessLimit || now >= listedAt + resyncMs;
  const step = state.step === 'watch' && isSuspect ? 'list' : state.step;
  return step === 'list'
    ? { ...state, step, pauseMs: Math.max(state.pauseMs, listTriedAt + listGapMs - now, 0) }
    : { ...state, step };
}

/** A random 300 to 600 s, or less if a resync is due earlier. */
export function watchSeconds(
  { listedAt }: ReflectorState,
  { now, random, resyncMs }: Pick<Chance, 'now' | 'random' | 'resyncMs'>,
): number {
  const untilResync = Math.ceil((listedAt + resyncMs - now) / 1000);
  return Math.max(1, Math.min(300 + Math.round(random * 300), untilResync));
}
