import { factsOf, type ObjectFacts } from './facts-of.ts';
import { exactValue, writtenAnew } from './leave-out-fields.ts';
import { betweenDocuments, documentsOfCrds, parseManifest } from './parse-manifest.ts';

/** An object of the folder `crds`, with its YAML. */
export interface CrdObject {
  facts: ObjectFacts;
  yaml: string;
}

/** The objects of the folder `crds` that a rendering contains; those of subcharts that the values leave out are not in it. */
export function crdObjectsOf({ manifests, crds }: { manifests: string; crds: string }): CrdObject[] {
  return manifests
    .split(betweenDocuments)
    .filter(documentsOfCrds(crds))
    .filter((document) => parseManifest(document).objects.length > 0)
    .flatMap((document) => itemsOf(exactValue(document)).flatMap(crdObject));
}

function crdObject(item: unknown): CrdObject[] {
  const yaml = writtenAnew(item);
  return factsOf(yaml, yaml).objects.map((facts) => ({ facts, yaml }));
}

const itemsOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null && 'items' in value && Array.isArray(value.items) ? value.items : [value];
