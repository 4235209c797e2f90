import { forEachTag } from './for-each-tag.ts';
import { scanTag } from './scan-tag.ts';
import { planScan } from './plan-scan.ts';
import type { ConfiguredRegistry } from './configured-registry.ts';
import type { ScanDeps } from './scan-deps.ts';
import type { KnownTag } from './tag-repository.ts';

/** Scans the tags of a repository and records the changes. Throws if the registry is down. */
export async function scanRepository(
  deps: ScanDeps,
  registry: ConfiguredRegistry,
  repository: string,
  signal: AbortSignal,
): Promise<void> {
  const { source, client } = registry;
  const { catalogue, tagRepository, log } = deps;
  const name = { domain: source.domain, repository };
  const listedAt = await tagRepository.now();
  const listed = await client.tags(repository, signal);
  if (listed === null) return catalogue.removeRepository(name, listedAt);

  const known = await tagRepository.known(name);
  const plan = planScan(listed, known, { now: new Date(listedAt), recheckAfterMs: source.recheckIntervalMs });
  if (plan.gone.length > 0) await catalogue.removeTags(name, plan.gone, listedAt);

  const unchanged: string[] = [];
  const read = async ({ tag }: Pick<KnownTag, 'tag'>): Promise<void> => {
    await scanTag(deps, registry, { repository, tag }, signal);
  };
  const check = async ({ tag, digest }: KnownTag): Promise<void> => {
    if (await client.stillHas(repository, tag, digest, signal)) unchanged.push(tag);
    else await read({ tag });
  };
  const onFailure = ({ tag }: Pick<KnownTag, 'tag'>, error: unknown): void =>
    log.warn({ err: error, registry: source.domain, repository, tag }, 'reading a tag failed');

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
}
