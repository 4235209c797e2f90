import { forEachTag } from './for-each-tag.ts';
import { lookAtTag } from './scan-tag.ts';
import { planScan } from './plan-scan.ts';
import type { ScanDeps, WatchedRegistry } from './scan-deps.ts';
import type { KnownTag } from './tag-repository.ts';

/** Brings what is known of a repository up to what its registry lists. Throws where that could not be seen. */
export async function scanRepository(
  deps: ScanDeps,
  registry: WatchedRegistry,
  repository: string,
  signal: AbortSignal,
): Promise<void> {
  const { source, client } = registry;
  const { catalogue, tagRepository, log } = deps;
  const name = { domain: source.domain, repository };
  const listedAt = await tagRepository.now();
  const listed = await client.tags(repository, signal);
  if (listed === null) return catalogue.repositoryGone(name, listedAt);

  const known = await tagRepository.known(name);
  const plan = planScan(listed, known, { now: new Date(listedAt), recheckAfterMs: source.recheckIntervalMs });
  if (plan.gone.length > 0) await catalogue.tagsGone(name, plan.gone, listedAt);

  const unchanged: string[] = [];
  const look = async ({ tag }: Pick<KnownTag, 'tag'>): Promise<void> => {
    await lookAtTag(deps, registry, { repository, tag }, signal);
  };
  const check = async ({ tag, digest }: KnownTag): Promise<void> => {
    if (await client.stillHas(repository, tag, digest, signal)) unchanged.push(tag);
    else await look({ tag });
  };
  const failed = ({ tag }: Pick<KnownTag, 'tag'>, error: unknown): void =>
    log.warn({ err: error, registry: source.domain, repository, tag }, 'a tag could not be read');

  try {
    const toLook = plan.look.map((tag) => ({ tag }));
    const lookOutage = await forEachTag(toLook, { work: look, failed, signal });
    // Whatever is wrong with what is new may not be wrong with what is known.
    const checkOutage = await forEachTag(plan.check, { work: check, failed, signal });
    const outage = lookOutage ?? checkOutage;
    if (outage) throw outage;
  } finally {
    if (unchanged.length > 0) await tagRepository.confirm(name, unchanged, listedAt);
  }
}
