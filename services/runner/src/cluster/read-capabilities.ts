import type { KubeApi } from '@berth/kube/kube-api';
import { z } from 'zod';
import { kubeFailure } from './kube-failure.ts';
import type { Capabilities } from '../helm/helm-arguments.ts';

const deadlineMs = 10_000;
/** Requests one answer for all groups; clusters before 1.30 answer with the older form, which lacks the kinds. */
const aggregated =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

const Version = z.object({ gitVersion: z.string().regex(/^v?[0-9A-Za-z.+-]{1,60}$/) });
const word = z.string().regex(/^[0-9A-Za-z.-]{1,253}$/);
const Groups = z.object({
  items: z
    .array(
      z.object({
        metadata: z.object({ name: word.optional() }).optional(),
        versions: z.array(
          z.object({
            version: word,
            resources: z.array(z.object({ responseKind: z.object({ kind: word }).optional() })).nullish(),
          }),
        ),
      }),
    )
    .nullish(),
  groups: z.array(z.object({ versions: z.array(z.object({ groupVersion: z.string().max(300) })) })).nullish(),
  versions: z.array(word).nullish(),
});

/** The capabilities that charts can query, as Helm itself would find them. */
export async function readCapabilities(
  api: Pick<KubeApi, 'getJson' | 'server'>,
  signal: AbortSignal,
): Promise<Capabilities> {
  const call = { signal, deadlineMs, accept: aggregated, answer: 'list' } as const;
  const read = (path: string) =>
    api.getJson(path, call).catch((error: unknown) => {
      throw kubeFailure('read what it can do', error, api.server);
    });
  const [version, core, named] = await Promise.all([read('/version'), read('/api'), read('/apis')]);
  return {
    kubeVersion: Version.parse(version).gitVersion,
    apiVersions: [...new Set([core, named].flatMap((groups) => apiVersionsIn(Groups.parse(groups))))],
  };
}

function apiVersionsIn({ items, groups, versions }: z.infer<typeof Groups>): string[] {
  const aggregatedOnes = (items ?? []).flatMap(({ metadata, versions: ofGroup }) =>
    ofGroup.flatMap(({ version, resources }) => {
      const groupVersion = metadata?.name ? `${metadata.name}/${version}` : version;
      const kinds = (resources ?? []).flatMap(({ responseKind }) => (responseKind ? [responseKind.kind] : []));
      return [groupVersion, ...kinds.map((kind) => `${groupVersion}/${kind}`)];
    }),
  );
  const older = (groups ?? []).flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion));
  return [...aggregatedOnes, ...older, ...(versions ?? [])];
}
