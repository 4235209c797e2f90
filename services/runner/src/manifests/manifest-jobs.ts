import { crdObjectsOf } from './crd-objects.ts';
import { factsOf, type ManifestFacts } from './facts-of.ts';
import { kubeObjectOf } from './kube-object.ts';
import { parseManifest, type ParsedManifest } from './parse-manifest.ts';

/** A megabyte of YAML takes seconds, and heartbeats must not wait for it: these run in another process. */
export const manifestJobs = {
  readNames: (text: string) =>
    parseManifest(text)
      .objects.flatMap(({ content }) => kubeObjectOf(content) ?? [])
      .map(({ apiVersion, kind, namespace, name }) => ({ apiVersion, kind, namespace, name })),

  readManifests: ({ texts, crds }: { texts: readonly string[]; crds: string }): ParsedManifest[] =>
    texts.map((text) => parseManifest(text, crds)),
  readFacts: ({ manifests, crds }: { manifests: string; crds?: string }): ManifestFacts => factsOf(manifests, crds),
  readCrds: crdObjectsOf,
};
