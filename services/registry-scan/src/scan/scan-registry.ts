import pMap from 'p-map';
import type { ScanDeps, WatchedRegistry } from './scan-deps.ts';
import { scanRepository } from './scan-repository.ts';

const repositoriesAtOnce = 2;

/** Looks through a whole registry. Throws where it could not be listed, or where not a single repository could be read. */
export async function scanRegistry(deps: ScanDeps, registry: WatchedRegistry, signal: AbortSignal): Promise<void> {
  const { source, client } = registry;
  const offered = source.repositories ?? (await client.repositories(signal));
  // A catalogue forgets a repository that is gone; whether it really is, the repository itself is asked.
  const known = await deps.registryRepository.availableRepositories(source.domain);
  const repositories = [...new Set([...offered, ...known])].filter((name) => name.startsWith(source.repositoryPrefix));

  const failures: unknown[] = [];
  await pMap(
    repositories,
    async (repository) => {
      signal.throwIfAborted();
      try {
        await scanRepository(deps, registry, repository, signal);
      } catch (error) {
        signal.throwIfAborted();
        failures.push(error);
        deps.log.warn({ err: error, registry: source.domain, repository }, 'a repository could not be scanned');
      }
    },
    { concurrency: repositoriesAtOnce },
  );
  if (failures.length > 0 && failures.length === repositories.length) throw failures[0];
}
