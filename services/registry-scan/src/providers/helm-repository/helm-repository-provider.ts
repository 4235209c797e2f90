import { z } from 'zod';
import type { DescribedRegistry } from '../../connection/described-registry.ts';
import { commonSettings, commonSource, repositoriesSetting } from '../../connection/registry-source.ts';
import { createHelmRepositoryClient } from './helm-repository-client.ts';
import { isChartName } from './names.ts';

/** A chart repository: an `index.yaml` over HTTP. Each of its charts is a repository, each version a tag. */
export const HelmRepositorySettings = z
  .strictObject({
    type: z.literal('helm-repository'),
    ...commonSettings,
    repositories: repositoriesSetting(isChartName),
    poll_interval_seconds: z.number().positive().max(86_400).default(300),
    recheck_interval_seconds: z.number().positive().max(86_400).default(3_600),
  })
  .transform((given, context): DescribedRegistry => {
    const common = commonSource(given, context);
    const { host, pathname } = common.url;
    // Several repositories may share a host.
    const source = { ...common, provider: 'HelmRepo' as const, domain: `${host}${pathname.replace(/\/+$/, '')}` };
    return { source, connect: (needs) => createHelmRepositoryClient(source, needs) };
  });
