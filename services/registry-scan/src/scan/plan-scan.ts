import type { KnownTag } from './tag-repository.ts';

export interface ScanPlan {
  /** Tags to read: new ones, and those that another look may find more about. */
  look: string[];
  /** Tags that were not asked about for a while: do they still have this digest? */
  check: KnownTag[];
  /** Tags that the registry has no more. */
  gone: string[];
}

/** What there is to do in a repository, from what the registry lists and what is known. */
export function planScan(
  listed: readonly string[],
  known: readonly KnownTag[],
  { now, recheckAfterMs }: { now: Date; recheckAfterMs: number },
): ScanPlan {
  const byTag = new Map(known.map((entry) => [entry.tag, entry]));
  const there = new Set(listed);
  const plan: ScanPlan = { look: [], check: [], gone: known.flatMap(({ tag }) => (there.has(tag) ? [] : [tag])) };

  for (const tag of there) {
    const entry = byTag.get(tag);
    if (!entry) plan.look.push(tag);
    else if (now.getTime() - Date.parse(entry.observedAt) >= recheckAfterMs) {
      if (entry.settled) plan.check.push(entry);
      else plan.look.push(tag);
    }
  }
  return plan;
}
