import type { FailureCause } from '@berth/kube/describe-failure';

/** The health of a cluster, with the fields it is derived from. Times are ISO strings. */
export interface ClusterHealth {
  readonly is_ok: boolean;
  readonly not_ok_reason: string | null;
  readonly last_seen_at: string;
  readonly last_failure: string | null;
  /** `last_seen_at` as last published. */
  readonly published_seen_at: string;
}

/**
 * The result of a probe. `answered`: the API server is ready. `failed`: it is not, for this reason. `silent`: it was not
 * probed for a while. `unusable`: it cannot be probed, such as a cluster that is no longer configured.
 */
export type ProbeResult =
  | { readonly kind: 'answered' }
  | { readonly kind: 'failed'; readonly reason: string; readonly cause: FailureCause }
  | { readonly kind: 'silent' }
  | { readonly kind: 'unusable'; readonly reason: string };

/** A cluster without an answer for this long is not ok. */
export const silenceMs = 60_000;
/** `last_seen_at` changes with every probe; a change of it alone is published no more often than this. */
const publishSeenMs = 60_000;

/** The health after a probe, and whether to publish it; null if nothing changes. */
export function healthAfter(
  before: ClusterHealth,
  result: ProbeResult,
  now: string,
): { health: ClusterHealth; publish: boolean } | null {
  const health = changed(before, result, now);
  const hasChanged = health.is_ok !== before.is_ok || health.not_ok_reason !== before.not_ok_reason;
  const isPublishDue =
    health.last_seen_at !== before.last_seen_at && ageOf(before.published_seen_at, now) >= publishSeenMs;

  if (hasChanged || isPublishDue)
    return { health: { ...health, published_seen_at: health.last_seen_at }, publish: true };
  if (health.last_seen_at === before.last_seen_at && health.last_failure === before.last_failure) return null;
  return { health, publish: false };
}

function changed(before: ClusterHealth, result: ProbeResult, now: string): ClusterHealth {
  if (result.kind === 'answered') {
    return { ...before, is_ok: true, not_ok_reason: null, last_seen_at: now, last_failure: null };
  }
  if (result.kind === 'unusable') {
    return { ...before, is_ok: false, not_ok_reason: result.reason, last_failure: result.reason };
  }
  const reason = result.kind === 'failed' ? result.reason : (before.last_failure ?? 'it was not probed for a minute');
  const isOver = !before.is_ok || ageOf(before.last_seen_at, now) >= silenceMs;
  return { ...before, last_failure: reason, ...(isOver && { is_ok: false, not_ok_reason: reason }) };
}

const ageOf = (time: string, now: string): number => Date.parse(now) - Date.parse(time);
