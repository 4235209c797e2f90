export interface RepublishTimes {
  republishMs: number;
  longestRepublishMs: number;
}

/**
 * Whether a resource may be republished now for a follower. A projection that cannot be repaired asks forever, so the pause
 * doubles while requests arrive within four times the last pause.
 */
export function republishPauses({ republishMs, longestRepublishMs }: RepublishTimes, now = () => performance.now()) {
  const last = new Map<string, { at: number; pauseMs: number }>();

  return (resource: string): boolean => {
    const before = last.get(resource);
    const sinceMs = before ? now() - before.at : Number.POSITIVE_INFINITY;
    if (before && sinceMs < before.pauseMs) return false;
    const goesOn = before !== undefined && sinceMs < 4 * before.pauseMs;
    const pauseMs = goesOn ? Math.min(2 * before.pauseMs, longestRepublishMs) : republishMs;
    last.set(resource, { at: now(), pauseMs });
    return true;
  };
}
