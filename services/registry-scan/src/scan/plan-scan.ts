import type { KnownTag } from './tag-repository.ts';

export interface ScanPlan {
  /** Tags to read: new ones, and those whose last result is not final. */
  read: string[];
  /** Tags whose digest was not checked for a while. */
  check: KnownTag[];
  /** Tags that the registry no longer lists. */
  gone: string[];
}

/** Decides what to do in a repository, from the tags that the registry lists and those that are known. */
export function planScan(
  listed: readonly string[],
  known: readonly KnownTag[],
  { now, recheckAfterMs }: { now: Date; recheckAfterMs: number },
): ScanPlan {
  const byTag = new Map(known.map((entry) => [entry.tag, entry]));
  const current = new Set(listed);
  const plan: ScanPlan = { read: [], check: [], gone: known.flatMap(({ tag }) => (current.has(tag) ? [] : [tag])) };

  for (const tag of current) {
    const entry = byTag.get(tag);
    if (!entry) plan.read.push(tag);
    else if (now.getTime() - Date.parse(entry.observedAt) >= recheckAfterMs) {
      if (entry.isFinal) plan.check.push(entry);
      else plan.read.push(tag);
    }
  }
  return plan;
}
