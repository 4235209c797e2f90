import { startOf } from '@berth/contracts/cut-text';
import { Text } from '@berth/contracts/fields/fields';
import { z } from 'zod';

/** YAML parses `version: 1.2` as a number although the author means text; like Helm, converts it back. */
const asText = (value: unknown): unknown =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : (value ?? undefined);

const Required = z.preprocess(asText, Text.min(1, 'must not be empty').max(200));
const Optional = z.preprocess(asText, z.string().optional());

/** Longer annotations are cut. */
const maxAnnotation = 200;
const Annotation = Optional.transform((text = '') => startOf(text.trim(), maxAnnotation) || undefined).pipe(
  Text.optional(),
);

/** The fields of Chart.yaml that Berth reads, as leniently as Helm does: its older form has no `apiVersion`, or `v1`. */
const ChartYaml = z.object({
  apiVersion: Optional.pipe(z.enum(['', 'v1', 'v2'], { error: 'must be v1 or v2' }).optional()),
  name: Required.refine((name) => !/[/\\]|^\.{1,2}$/.test(name), 'must not be a path'),
  version: Required,
  type: Optional.pipe(
    z.enum(['', 'application'], { error: 'must be application: a library cannot be deployed' }).optional(),
  ),
  annotations: z
    .object({
      'berth.dev/git/commit': Annotation,
      'berth.dev/git/branch': Annotation,
      'platz.io/git/commit': Annotation,
      'platz.io/git/branch': Annotation,
    })
    .nullish(),
});

export const ChartMetadata = z.strictObject({
  name: z.string(),
  version: z.string(),
  git_commit: z.string().nullable(),
  git_branch: z.string().nullable(),
});
export type ChartMetadata = z.infer<typeof ChartMetadata>;

/** Annotations of Berth take precedence over those of the upstream project. */
export const ChartYamlMetadata = ChartYaml.transform(
  ({ name, version, annotations }): ChartMetadata => ({
    name,
    version,
    git_commit: annotations?.['berth.dev/git/commit'] ?? annotations?.['platz.io/git/commit'] ?? null,
    git_branch: annotations?.['berth.dev/git/branch'] ?? annotations?.['platz.io/git/branch'] ?? null,
  }),
);
