import type { ListedTag } from '../connection/registry-client.ts';
import type { KnownTag } from './tag-repository.ts';

export interface ScanPlan {
  /** Tags to read: new ones, those that are listed with another digest, and those whose last result is not final. */
  read: string[];
  /** Tags whose digest the list does not say, and was not checked for a while; the oldest checks first. */
  check: KnownTag[];
  /** Tags that the registry no longer lists. */
  gone: string[];
}

/** Decides what to do in a repository, from the tags that the registry lists and those that are known. */
export function planScan(
  listed: readonly ListedTag[],
  known: readonly KnownTag[],
  { now, recheckAfterMs }: { now: Date; recheckAfterMs: number },
): ScanPlan {
  const byTag = new Map(known.map((entry) => [entry.tag, entry]));
  const current = new Map(listed.map(({ tag, digest }) => [tag, digest]));
  const plan: ScanPlan = { read: [], check: [], gone: known.flatMap(({ tag }) => (current.has(tag) ? [] : [tag])) };

  for (const [tag, digest] of current) {
    const entry = byTag.get(tag);
    if (!entry || (digest !== null && digest !== entry.digest)) plan.read.push(tag);
    else if (now.getTime() - Date.parse(entry.observedAt) >= recheckAfterMs) {
      if (!entry.isFinal) plan.read.push(tag);
      else if (digest === null) plan.check.push(entry);
    }
  }
  plan.check.sort((one, other) => Date.parse(one.observedAt) - Date.parse(other.observedAt));
  return plan;
}
