import type { RegistrySource } from '../oci/registry-source.ts';
import type { PushHint } from './push-envelope.ts';

/**
 * The configured registries that a hint may be about: the one of that name, or, where a proxy has given it another,
 * any of them. A look into the wrong one finds nothing and costs one request.
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
