import type { PushHint } from '../connection/push-hint.ts';
import type { RegistrySource } from '../connection/registry-source.ts';

interface Candidate {
  key: string;
  source: Pick<RegistrySource, 'domain' | 'repositoryPrefix' | 'repositories'>;
}

/**
 * The keys of the registries that a hint may refer to: the one with that name or, if the name is unknown because of a proxy, any.
 * A scan of the wrong one finds nothing and costs one request.
 */
export function registriesFor(
  { host, repository }: Pick<PushHint, 'host' | 'repository'>,
  candidates: readonly Candidate[],
): string[] {
  const named = candidates.filter(({ source }) => source.domain === host);
  return (named.length > 0 ? named : candidates)
    .filter(({ source }) => repository.startsWith(source.repositoryPrefix))
    .filter(({ source }) => source.repositories === undefined || source.repositories.includes(repository))
    .map(({ key }) => key);
}
