import { z } from 'zod';
import type { DescribedRegistry } from '../../connection/described-registry.ts';
import { commonSettings, commonSource, repositoriesSetting } from '../../connection/registry-source.ts';
import { createOciClient } from '../../oci/client/oci-client.ts';
import { isRepositoryName, isTag } from '../../oci/names.ts';
import { createEcrApi } from './ecr-api.ts';
import { ecrHostIn } from './ecr-host.ts';

/** ECR: its API lists repositories, tags and digests; manifests and packages come by the distribution protocol. */
export const EcrSettings = z
  .strictObject({
    type: z.literal('ecr'),
    ...commonSettings,
    repositories: repositoriesSetting(isRepositoryName),
    /** Where manifests and packages come from, if not from `url`: an endpoint of the own network. */
    pull_url: commonSettings.url.optional(),
  })
  .transform((given, context): DescribedRegistry => {
    const { pull_url: pullUrl = given.url } = given;
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    const { host, hostname, pathname } = new URL(given.url);
    const registry = ecrHostIn(hostname);
    if (registry === null || pathname !== '/') {
      refuse('url', 'must be https://<account>.dkr.ecr.<region>.amazonaws.com');
      return z.NEVER;
    }
    if (given.credentials_file !== undefined) refuse('credentials_file', 'must be absent: ECR has tokens of its own');
    // Its rules are those of every URL, so that packages come from no address that is denied.
    const source = {
      ...commonSource({ ...given, url: pullUrl }, context),
      provider: 'Ecr' as const,
      domain: host,
    };
    return {
      source,
      connect({ onRequest }) {
        const api = createEcrApi(registry, onRequest);
        const oci = createOciClient({ ...source, authHosts: [] }, { readCredentials: api.credentials, onRequest });
        return {
          ...oci,
          repositories: async (only, signal) => only ?? (await api.repositories(signal)).filter(isRepositoryName),
          tags: async (repository, signal) =>
            (await api.tags(repository, signal))?.filter(({ tag }) => isTag(tag)) ?? null,
          [Symbol.dispose]() {
            oci[Symbol.dispose]();
            api[Symbol.dispose]();
          },
        };
      },
    };
  });
