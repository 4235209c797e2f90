import { z } from 'zod';
import type { DescribedRegistry } from '../../connection/described-registry.ts';
import { commonSettings, commonSource, repositoriesSetting } from '../../connection/registry-source.ts';
import { createOciClient } from '../../oci/client/oci-client.ts';
import { isRepositoryName } from '../../oci/names.ts';

/** A registry that speaks the distribution protocol, such as distribution, Harbor, Zot or GitHub packages. */
export const OciSettings = z
  .strictObject({
    type: z.literal('oci'),
    ...commonSettings,
    /** For a registry that has no catalogue. */
    repositories: repositoriesSetting(isRepositoryName),
    /** `host[:port]` of token servers, other than the registry itself, to which the credentials may be sent. */
    auth_hosts: z.array(z.string().min(1)).default([]),
  })
  .transform(({ auth_hosts: authHosts, ...given }, context): DescribedRegistry => {
    const common = commonSource(given, context);
    if (common.url.pathname !== '/') {
      context.addIssue({ code: 'custom', path: ['url'], message: 'must not have a path' });
    }
    const source = { ...common, provider: 'Oci' as const, domain: common.url.host, url: new URL(common.url.origin) };
    return {
      source,
      connect: (needs) => createOciClient({ ...source, authHosts }, needs),
    };
  });
