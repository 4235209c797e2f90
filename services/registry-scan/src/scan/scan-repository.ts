import type { ListedTag } from '../connection/registry-client.ts';
import type { ScannedRegistry } from './scanned-registry.ts';
import { forEachTag } from './for-each-tag.ts';
import type { Visit } from './plan-round.ts';
import { planScan, type ScanPlan } from './plan-scan.ts';
import type { ScanDeps } from './scan-deps.ts';
import { scanTag } from './scan-tag.ts';
import type { KnownTag } from './tag-repository.ts';

/** What a scan of a repository came to. */
export interface RepositoryScan {
  /** Tags that were read, or are gone. */
  changed: number;
  failedTags: number;
  /** Tags whose result may change although the tag does not. */
  notFinal: number;
  /** One of the failures, for people. */
  failure: unknown;
}

interface ScanOptions {
  visit?: Visit;
  signal: AbortSignal;
}

/** Scans the tags of a repository and records the changes. Throws if the registry is down. */
export async function scanRepository(
  deps: ScanDeps,
  registry: ScannedRegistry,
  repository: string,
  { visit = 'whole', signal }: ScanOptions,
): Promise<RepositoryScan> {
  const { source, client } = registry;
  const { catalogue, tagRepository, log } = deps;
  const name = { domain: source.domain, repository };
  const scan: RepositoryScan = { changed: 0, failedTags: 0, notFinal: 0, failure: null };
  const listedAt = await tagRepository.now();
  const times = { now: new Date(listedAt), recheckAfterMs: source.recheckIntervalMs };

  async function planned(): Promise<ScanPlan | null> {
    if (visit === 'check') {
      const known = await tagRepository.known(name);
      const { check } = planScan(known.map(asListed), known, times);
      if (check.length > 0) return { read: [], check: check.slice(0, 1), gone: [] };
    }
    const listed = await client.tags(repository, signal);
    const plan = listed && planScan(listed, await tagRepository.known(name), times);
    return plan && visit === 'list' ? { ...plan, check: [] } : plan;
  }

  const plan = await planned();
  if (plan === null) {
    await catalogue.removeRepository(name, listedAt);
    return { ...scan, changed: 1 };
  }
  if (plan.gone.length > 0) await catalogue.removeTags(name, plan.gone, listedAt);
  scan.changed = plan.gone.length;

  const unchanged: string[] = [];
  const read = async ({ tag }: Pick<KnownTag, 'tag'>): Promise<void> => {
    await scanTag(deps, registry, { repository, tag }, signal);
    scan.changed += 1;
    registry.progress.tagsRead += 1;
  };
  const check = async ({ tag, digest }: KnownTag): Promise<void> => {
    if (await client.stillHas(repository, tag, digest, signal)) unchanged.push(tag);
    else await read({ tag });
  };
  const onFailure = ({ tag }: Pick<KnownTag, 'tag'>, error: unknown): void => {
    scan.failedTags += 1;
    scan.failure = error;
    log.warn({ err: error, registry: source.domain, repository, tag }, 'reading a tag failed');
  };

  try {
    const toRead = plan.read.map((tag) => ({ tag }));
    const readOutage = await forEachTag(toRead, { work: read, onFailure, signal });
    // New tags may fail for a reason that does not affect the known ones.
    const checkOutage = await forEachTag(plan.check, { work: check, onFailure, signal });
    const outage = readOutage ?? checkOutage;
    if (outage) throw outage;
  } finally {
    if (unchanged.length > 0) await tagRepository.confirm(name, unchanged, listedAt);
  }
  return { ...scan, notFinal: await tagRepository.countNotFinal(name) };
}

const asListed = ({ tag }: KnownTag): ListedTag => ({ tag, digest: null });
