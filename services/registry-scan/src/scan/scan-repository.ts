import pMap from 'p-map';
import { RegistryError } from '../oci/registry-error.ts';
import { lookAtTag } from './look-at-tag.ts';
import { planScan } from './plan-scan.ts';
import type { ScanDeps, WatchedRegistry } from './scan-deps.ts';

const tagsAtOnce = 4;

/** Brings what is known of a repository up to what its registry lists. */
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

  const look = async (tag: string): Promise<void> => {
    try {
      await lookAtTag(deps, registry, { repository, tag }, signal);
    } catch (error) {
      // What a registry says about one tag is of no concern to the others; a registry that is down is.
      if (isAboutAll(error) || signal.aborted) throw error;
      log.warn({ err: error, registry: source.domain, repository, tag }, 'a tag could not be read');
    }
  };

  const unchanged: string[] = [];
  await pMap(
    plan.check,
    async ({ tag, digest }) => {
      if (await client.stillHas(repository, tag, digest, signal)) unchanged.push(tag);
      else await look(tag);
    },
    { concurrency: tagsAtOnce },
  );
  if (unchanged.length > 0) await tagRepository.confirm(name, unchanged, listedAt);
  await pMap(plan.look, look, { concurrency: tagsAtOnce });
}

const isAboutAll = (error: unknown): boolean =>
  error instanceof RegistryError ? error.reason !== 'nonsense' : !isRefusal(error);

/** Words of the egress policy; everything else (the database, the bus, a bug) is not about the tag. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'EgressRefused' || error.name === 'ReplyTooLarge');
