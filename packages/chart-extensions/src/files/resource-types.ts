import { z } from 'zod';
import { DeploymentRole } from '@berth/contracts/access/identity';
import { isForbiddenKey, type JsonObject } from '@berth/contracts/fields/json';
import { callTarget } from './call-target.ts';
import { header } from '../header.ts';
import { withNeutralIcon } from './neutral-icon.ts';
import { nullsAbsent } from '../nulls-absent.ts';
import { ValuesUi } from '../form/values-ui.ts';

/** An operation that the type allows, with the roles that may request it and the call that performs it. */
const LifecycleOperation = nullsAbsent({
  allowed_role: DeploymentRole.optional(),
  target: z.strictObject(callTarget).optional(),
});

export const ResourceTypeSpec = z.preprocess(
  withNeutralIcon,
  nullsAbsent({
    name_singular: z.string().min(1).max(100),
    name_plural: z.string().min(1).max(100),
    iconset_icon: z.string().min(1).max(100),
    /** Available in every env rather than only in that of the deployment. */
    global: z.boolean().default(false),
    values_ui: ValuesUi,
    lifecycle: nullsAbsent({
      create: LifecycleOperation.optional(),
      update: LifecycleOperation.optional(),
      delete: LifecycleOperation.optional(),
    }).prefault({}),
  }),
);
export type ResourceTypeSpec = z.infer<typeof ResourceTypeSpec>;

const Key = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(100)
  .refine((key) => !isForbiddenKey(key), 'is not a possible name');

/** Specs by key: the stored form of a chart's `resource_types`. */
export const ResourceTypes = z.record(Key, ResourceTypeSpec);
export type ResourceTypes = z.infer<typeof ResourceTypes>;

/** The form of `resources.yaml`: a list of documents. */
export const ResourceTypesFile = z
  .array(z.strictObject({ ...header('ResourceType', ['v1beta1']), key: Key, spec: ResourceTypeSpec }))
  .max(100)
  .superRefine((documents, context) => {
    for (const [index, { key }] of documents.entries()) {
      if (documents.findIndex((other) => other.key === key) === index) continue;
      context.addIssue({ code: 'custom', path: [index, 'key'], message: `repeats ${key}` });
    }
  })
  .transform((documents): ResourceTypes => Object.fromEntries(documents.map(({ key, spec }) => [key, spec])));

/** The resource types of a chart; empty if it has no such file. */
export const resourceTypesOf = (stored: JsonObject | null): ResourceTypes => ResourceTypes.parse(stored ?? {});
