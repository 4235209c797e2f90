import { z } from 'zod';
import { isJsonObject, type JsonObject } from '@berth/contracts/fields/json';
import { oneKeyOf } from '@berth/contracts/fields/one-key-of';
import { KeptFields } from '@berth/contracts/resources/deployments/field-path';
import { header } from '../header.ts';
import { nullsAbsent } from '../nulls-absent.ts';
import { OutputPath } from '../form/output-path.ts';

const Ingress = nullsAbsent({
  enabled: z.boolean(),
  hostname_format: z.enum(['KindAndName', 'Name']).default('KindAndName'),
});

const StatusEndpoint = z.strictObject({
  endpoint: z.literal('standard_ingress'),
  path: z.string().min(1).max(2048),
  refresh_interval_secs: z.number().int().min(1).max(86_400),
});

const DisplayName = z.union([
  z.literal('DeploymentName'),
  oneKeyOf({ InputField: z.strictObject({ name: z.string().min(1) }) }),
]);

const Display = nullsAbsent({
  name: DisplayName.optional(),
  icon: z.strictObject({ font_awesome: z.string().min(1).max(100) }).optional(),
});

const Wait = nullsAbsent({
  enabled: z.boolean().default(true),
  timeout_secs: z.number().int().min(1).max(3600).default(300),
});

const Fields = nullsAbsent({ keep: KeptFields.default([]) });

const common = {
  status: StatusEndpoint.optional(),
  cardinality: z.enum(['Many', 'OnePerCluster']).default('Many'),
  reinstall_dependencies: z.boolean().default(true),
  node_selector_paths: z.array(OutputPath).max(100).default([]),
  tolerations_paths: z.array(OutputPath).max(100).default([]),
  wait: Wait.prefault({}),
  /** Optional, since services of the previous version refuse stored features that they do not know. */
  fields: Fields.optional(),
};

/** The platform features that a chart requires: the stored form of a chart's `features`. */
export const Features = nullsAbsent({
  ...common,
  ingress: Ingress.prefault({ enabled: false }),
  display: Display.optional(),
});
export type Features = z.infer<typeof Features>;

/** The older form: one field for the ingress, no display. */
export const OlderFeatures = nullsAbsent({ ...common, standard_ingress: z.boolean().default(false) }).transform(
  ({ standard_ingress: enabled, ...rest }): Features => ({
    ...rest,
    ingress: { enabled, hostname_format: 'KindAndName' },
  }),
);

const NewestFile = z
  .strictObject({ ...header('Features', ['v1beta1', 'v1beta2']), spec: Features })
  .transform(({ spec }) => spec);

const OlderFile = z
  .strictObject({ ...header('Features', ['v1beta1', 'v1beta2']), spec: OlderFeatures })
  .transform(({ spec }) => spec);

const isOlder = (document: unknown): boolean =>
  isJsonObject(document) && typeof document.apiVersion === 'string' && document.apiVersion.endsWith('/v1beta1');

/** The version of a `features.yaml` determines its schema, so that errors refer to the intended form. */
export const featuresFileSchema = (document: unknown): z.ZodType<Features> =>
  isOlder(document) ? OlderFile : NewestFile;

/** The features of a chart, or the defaults if it has no such file. */
export const featuresOf = (stored: JsonObject | null): Features => Features.parse(stored ?? {});
