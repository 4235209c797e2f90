import { z } from 'zod';

const Text = z.string().min(1).max(200);
const Annotation = z.string().trim().min(1).max(200);

/** What of Chart.yaml concerns us. */
const ChartYaml = z.object({
  apiVersion: z.literal('v2', { error: 'must be v2' }),
  name: Text.regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'may only contain letters, digits, dots, dashes and underscores'),
  version: Text,
  type: z.literal('application', { error: 'must be application: a library cannot be deployed' }).optional(),
  annotations: z
    .object({
      'berth.dev/git/commit': Annotation.optional(),
      'berth.dev/git/branch': Annotation.optional(),
      'platz.io/git/commit': Annotation.optional(),
      'platz.io/git/branch': Annotation.optional(),
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

/** Our annotations before those of the upstream project. */
export const ChartYamlMetadata = ChartYaml.transform(
  ({ name, version, annotations }): ChartMetadata => ({
    name,
    version,
    git_commit: annotations?.['berth.dev/git/commit'] ?? annotations?.['platz.io/git/commit'] ?? null,
    git_branch: annotations?.['berth.dev/git/branch'] ?? annotations?.['platz.io/git/branch'] ?? null,
  }),
);
