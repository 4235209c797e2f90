import { implement } from '@berth/bus/rpc/implement';
import { AppError, found } from '@berth/contracts/errors';
import { type HelmRegistry, helmRegistries } from '@berth/contracts/resources/charts/helm-registries';
import { registryChecks } from '@berth/contracts/resources/charts/registry-checks';
import { wordsOf } from '../connection/words-of.ts';
import type { RegistryClient } from '../connection/registry-client.ts';
import type { RegistryRepository } from './registry-repository.ts';

export interface RegistryCheckHandlersDeps {
  registryRepository: Pick<RegistryRepository, 'find'>;
  /** A new client for each check, so that no cache answers; undefined if the registry is not scanned. */
  connectTo: (row: HelmRegistry) => Promise<RegistryClient | undefined>;
}

const deadlineMs = 20_000;
const maxExamples = 5;

export const registryCheckHandlers = ({ registryRepository, connectTo }: RegistryCheckHandlersDeps) =>
  implement(registryChecks, {
    run: async ({ id }, { signal }) => {
      const row = found(await registryRepository.find(id), helmRegistries.singular);
      using client = await connectTo(row);
      if (!client) throw new AppError('unprocessable', `${row.domain_name} is no longer configured`);

      const checked_at = new Date().toISOString();
      try {
        const tags = await client.tags(row.repo_name, AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]));
        if (tags === null) {
          return { checked_at, versions: null, examples: [], error: `${row.domain_name} has no ${row.repo_name}` };
        }
        const examples = tags.slice(-maxExamples).map(({ tag }) => tag);
        return { checked_at, versions: tags.length, examples, error: null };
      } catch (error) {
        return { checked_at, versions: null, examples: [], error: wordsOf(error) };
      }
    },
  });
