import type { RegistrySource } from '../connection/registry-source.ts';
import type { PushHint } from '../connection/push-hint.ts';

/**
 * The configured registries that a hint may refer to: the one with that name or, if the name is unknown because of a proxy, any.
 * A scan of the wrong one finds nothing and costs one request.
 */
export function registriesFor(
  { host, repository }: Pick<PushHint, 'host' | 'repository'>,
  sources: readonly Pick<RegistrySource, 'domain' | 'repositoryPrefix' | 'repositories'>[],
): string[] {
  const named = sources.filter(({ domain }) => domain === host);
  return (named.length > 0 ? named : sources)
    .filter(({ repositoryPrefix }) => repository.startsWith(repositoryPrefix))
    .filter(({ repositories }) => repositories === undefined || repositories.includes(repository))
    .map(({ domain }) => domain);
}
