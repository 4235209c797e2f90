import { eachAtMost } from '@berth/service/waiting/each-at-most';
import type { ConfiguredRegistry } from './configured-registry.ts';
import type { ScanDeps } from './scan-deps.ts';
import { scanRepository } from './scan-repository.ts';

const repositoriesAtOnce = 2;

/** Scans a whole registry. Throws if it could not be listed or every repository failed. */
export async function scanRegistry(deps: ScanDeps, registry: ConfiguredRegistry, signal: AbortSignal): Promise<void> {
  const { source, client } = registry;
  const offered = source.repositories ?? (await client.repositories(signal));
  // Repositories missing from the catalogue are scanned too: only their own tag list shows that they are gone.
  const known = await deps.registryRepository.availableRepositories(source.domain);
  const repositories = [...new Set([...offered, ...known])].filter((name) => name.startsWith(source.repositoryPrefix));

  const failures: unknown[] = [];
  await eachAtMost(repositoriesAtOnce, repositories, async (repository) => {
    signal.throwIfAborted();
    try {
      await scanRepository(deps, registry, repository, signal);
    } catch (error) {
      signal.throwIfAborted();
      failures.push(error);
      deps.log.warn({ err: error, registry: source.domain, repository }, 'scanning a repository failed');
    }
  });
  if (failures.length > 0 && failures.length === repositories.length) throw failures[0];
}
