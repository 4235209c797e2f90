import { z } from 'zod';
import { type Manifest, podOf } from './helm-in-test.ts';

interface Needed {
  readonly plural: 'secrets' | 'configmaps' | 'serviceaccounts';
  readonly name: string;
  readonly key?: string;
}

const Items = z.array(z.object({ key: z.string() }));
const Source = z.object({
  secret: z.object({ name: z.string(), optional: z.boolean().optional(), items: Items }).optional(),
  configMap: z.object({ name: z.string(), items: Items }).optional(),
});
const Volume = z.object({
  projected: z.object({ sources: z.array(Source) }).optional(),
  secret: z.object({ secretName: z.string(), items: Items.default([]) }).optional(),
  configMap: z.object({ name: z.string(), items: Items.default([]) }).optional(),
});
const Reference = z.object({ name: z.string(), key: z.string() });
const Env = z.object({
  valueFrom: z.object({ secretKeyRef: Reference.optional(), configMapKeyRef: Reference.optional() }).optional(),
});

/** What has to be in the namespace before the pods of these objects can start. */
export function neededByPods(manifests: readonly Manifest[]): Needed[] {
  const all = manifests.flatMap((manifest): Needed[] => {
    const pod = podOf(manifest);
    if (!pod) return [];
    const account = z.object({ serviceAccountName: z.string().optional() }).parse(pod).serviceAccountName;
    const env = [...pod.containers, ...(pod.initContainers ?? [])].flatMap((container) => container.env ?? []);
    return [
      ...(account === undefined ? [] : [{ plural: 'serviceaccounts' as const, name: account }]),
      ...(pod.volumes ?? []).flatMap((volume) => ofVolume(Volume.parse(volume))),
      ...env.flatMap((one) => ofEnv(Env.parse(one))),
    ];
  });
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

function ofVolume({ projected, secret, configMap }: z.infer<typeof Volume>): Needed[] {
  const sources = projected?.sources ?? [];
  return [
    ...sources.flatMap((one) =>
      one.secret && !one.secret.optional ? keys('secrets', one.secret.name, one.secret.items) : [],
    ),
    ...sources.flatMap((one) => (one.configMap ? keys('configmaps', one.configMap.name, one.configMap.items) : [])),
    ...(secret ? keys('secrets', secret.secretName, secret.items) : []),
    ...(configMap ? keys('configmaps', configMap.name, configMap.items) : []),
  ];
}

function ofEnv({ valueFrom }: z.infer<typeof Env>): Needed[] {
  const { secretKeyRef, configMapKeyRef } = valueFrom ?? {};
  return [
    ...(secretKeyRef ? [{ plural: 'secrets' as const, ...secretKeyRef }] : []),
    ...(configMapKeyRef ? [{ plural: 'configmaps' as const, ...configMapKeyRef }] : []),
  ];
}

const keys = (plural: Needed['plural'], name: string, items: readonly { key: string }[]): Needed[] =>
  items.length === 0 ? [{ plural, name }] : items.map(({ key }) => ({ plural, name, key }));
