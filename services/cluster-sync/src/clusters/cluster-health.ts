/** How a cluster is doing, and what is remembered to decide it. Times are ISO strings. */
export interface ClusterHealth {
  readonly is_ok: boolean;
  readonly not_ok_reason: string | null;
  readonly last_seen_at: string;
  readonly last_failure: string | null;
  readonly told_seen_at: string;
}

/**
 * `answered`: it said that it is ready. `failed`: it did not, for this reason. `silent`: nobody heard of it for a while.
 * `unusable`: it cannot be reached at all, such as one that is no longer configured.
 */
export type Sign =
  | { readonly kind: 'answered' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'unusable'; readonly reason: string };

/** A cluster that was silent for this long is not ok. */
export const silenceMs = 60_000;
/** `last_seen_at` moves with every probe; alone it is published no more often than this. */
const publishSeenMs = 60_000;

/** The health after a sign, and whether to publish it. Null: nothing changes. */
export function healthAfter(
  before: ClusterHealth,
  sign: Sign,
  now: string,
): { health: ClusterHealth; publish: boolean } | null {
  const health = changed(before, sign, now);
  const hasChanged = health.is_ok !== before.is_ok || health.not_ok_reason !== before.not_ok_reason;
  const seenIsOld = health.last_seen_at !== before.last_seen_at && ageOf(before.told_seen_at, now) >= publishSeenMs;

  if (hasChanged || seenIsOld) return { health: { ...health, told_seen_at: health.last_seen_at }, publish: true };
  if (health.last_seen_at === before.last_seen_at && health.last_failure === before.last_failure) return null;
  return { health, publish: false };
}

function changed(before: ClusterHealth, sign: Sign, now: string): ClusterHealth {
  if (sign.kind === 'answered') {
    return { ...before, is_ok: true, not_ok_reason: null, last_seen_at: now, last_failure: null };
  }
  if (sign.kind === 'unusable') {
    return { ...before, is_ok: false, not_ok_reason: sign.reason, last_failure: sign.reason };
  }
  const reason = sign.kind === 'failed' ? sign.reason : (before.last_failure ?? 'nobody has probed it for a minute');
  const isOver = !before.is_ok || ageOf(before.last_seen_at, now) >= silenceMs;
  return { ...before, last_failure: reason, ...(isOver && { is_ok: false, not_ok_reason: reason }) };
}

const ageOf = (time: string, now: string): number => Date.parse(now) - Date.parse(time);
