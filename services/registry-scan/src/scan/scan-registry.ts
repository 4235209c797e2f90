import { setTimeout as sleep } from 'node:timers/promises';
import { eachAtMost } from '@berth/service/waiting/each-at-most';
import { RegistryError } from '../connection/registry-error.ts';
import type { ScannedRegistry } from './scanned-registry.ts';
import { planRound, visitOf } from './plan-round.ts';
import type { ScanDeps } from './scan-deps.ts';
import { scanRepository } from './scan-repository.ts';
import { wordsOf } from '../connection/words-of.ts';

const repositoriesAtOnce = 2;
/** More than the repositories in flight, so that a few that fail together do not seem to be an outage. */
const mostFailuresInARow = repositoriesAtOnce + 4;

/** What a round over a registry came to. */
export interface RoundResult {
  repositories: number;
  changed: number;
  /** Repositories and single tags that could not be scanned. */
  failed: number;
  notFinal: number;
  /** It was spread over the interval until the next poll. */
  isSpread: boolean;
  /** One of the failures, for people. */
  failure: unknown;
}

const unchangedRound: RoundResult = {
  repositories: 0,
  changed: 0,
  failed: 0,
  notFinal: 0,
  isSpread: false,
  failure: null,
};

/** Scans a whole registry. Throws if it could not be listed, every repository failed, or it seems to be down. */
export async function scanRegistry(
  deps: ScanDeps,
  registry: ScannedRegistry,
  signal: AbortSignal,
): Promise<RoundResult> {
  const { source, client } = registry;
  let result: RoundResult | null = null;
  try {
    const offered = await client.repositories(source.repositories, signal);
    result = offered === 'unchanged' ? unchangedRound : await scanAll(deps, registry, offered, signal);
    return result;
  } finally {
    const readAgainAfterMs = result?.notFinal === 0 ? Number.POSITIVE_INFINITY : source.recheckIntervalMs;
    client.endRound?.({ isComplete: result?.failed === 0, readAgainAfterMs });
  }
}

async function scanAll(
  deps: ScanDeps,
  registry: ScannedRegistry,
  offered: readonly string[],
  signal: AbortSignal,
): Promise<RoundResult> {
  const { source, progress } = registry;
  const { domain, repositoryPrefix, pollIntervalMs } = source;
  // Repositories missing from the catalogue are scanned too: only their own tag list shows that they are gone.
  const known = await deps.registryRepository.knownRepositories(domain);
  const available = registry.isCreated ? [] : known.flatMap((row) => (row.available ? [row.repo_name] : []));
  const withError = new Set(known.flatMap((row) => (row.has_error ? [row.repo_name] : [])));
  const repositories = [...new Set([...offered, ...available])].filter((name) => name.startsWith(repositoryPrefix));
  const toRequest = registry.client.listsAllAtOnce ? 0 : repositories.length;
  const plan = planRound(toRequest, pollIntervalMs, repositoriesAtOnce);

  const result: RoundResult = { ...unchangedRound, repositories: repositories.length, isSpread: plan.isFrugal };
  let failedRepositories = 0;
  let failuresInARow = 0;
  const startedAt = new Date();
  Object.assign(progress, { repositories: repositories.length, done: 0, tagsRead: 0 });

  async function recordError(repository: string, failure: unknown): Promise<void> {
    if (failure === null && !withError.has(repository)) return;
    await deps.registryRepository.recordError({ domain, repository }, failure === null ? null : wordsOf(failure));
  }

  async function scanOne(repository: string, at: number): Promise<void> {
    signal.throwIfAborted();
    const visit = visitOf(plan, at, startedAt, pollIntervalMs);
    try {
      const scan = await scanRepository(deps, registry, repository, { visit, signal });
      failuresInARow = 0;
      result.changed += scan.changed;
      result.failed += scan.failedTags;
      result.notFinal += scan.notFinal;
      result.failure = scan.failure ?? result.failure;
      await recordError(repository, scan.failure);
      if (scan.changed === 0 && plan.pauseMs > 0) await sleep(plan.pauseMs, undefined, { signal });
    } catch (error) {
      signal.throwIfAborted();
      result.failed += 1;
      failedRepositories += 1;
      result.failure = error;
      deps.log.warn({ err: error, registry: domain, repository }, 'scanning a repository failed');
      await recordError(repository, error);
      failuresInARow = isRegistryDown(error) ? failuresInARow + 1 : 0;
      // A registry that suffers, or limits our requests, is left alone until the next poll, which backs off.
      if (failuresInARow >= mostFailuresInARow) throw error;
    }
    progress.done += 1;
  }

  await eachAtMost(repositoriesAtOnce, [...repositories.entries()], ([at, repository]) => scanOne(repository, at));
  if (failedRepositories > 0 && failedRepositories === repositories.length) throw result.failure;
  return result;
}

const isRegistryDown = (error: unknown): boolean => error instanceof RegistryError && error.reason === 'unavailable';
