import { z } from 'zod';
import { dnsSubdomain } from '@berth/contracts/fields/dns-subdomain';
import { oneKeyOf } from '@berth/contracts/fields/one-key-of';
import { InputId } from './input.ts';
import { OutputPath } from './output-path.ts';

/** The value of an input, or a property of the row to which the input points. */
export const InputRef = oneKeyOf({
  FieldValue: z.strictObject({ input: InputId }),
  FieldProperty: z.strictObject({ input: InputId, property: z.string().min(1).max(200) }),
});
export type InputRef = z.infer<typeof InputRef>;

// Checked here, because Kubernetes would refuse other names only during a deployment.
const SecretName = z
  .string()
  .max(253)
  .regex(new RegExp(`^${dnsSubdomain}$`), 'must be a DNS name')
  .refine((name) => name !== 'service-creds', 'belongs to the platform');
const SecretKey = z
  .string()
  .max(253)
  .regex(/^[-._a-zA-Z0-9]+$/, 'may only contain letters, digits, dashes, dots and underscores')
  .refine((key) => key !== '.' && !key.startsWith('..'), 'must not be a dot or begin with two');

/** The paths of the values and the Secrets to which inputs are written. */
export const Outputs = z.strictObject({
  values: z
    .array(z.strictObject({ path: OutputPath, value: InputRef }))
    .max(2000)
    .default([]),
  secrets: z.record(SecretName, z.record(SecretKey, InputRef)).default({}),
});
export type Outputs = z.infer<typeof Outputs>;

export const inputOf = (ref: InputRef): string =>
  'FieldValue' in ref ? ref.FieldValue.input : ref.FieldProperty.input;

/** The properties of referenced items that outputs read, by input. */
export function propertiesRead({ values, secrets }: Outputs): Map<string, Set<string>> {
  const read = new Map<string, Set<string>>();
  const refs = [...values.map(({ value }) => value), ...Object.values(secrets).flatMap((keys) => Object.values(keys))];
  for (const ref of refs) {
    if (!('FieldProperty' in ref)) continue;
    const { input, property } = ref.FieldProperty;
    read.set(input, (read.get(input) ?? new Set()).add(property));
  }
  return read;
}

/** The inputs whose properties an output reads. */
export const inputsWith = (property: string, outputs: Outputs): Set<string> =>
  new Set([...propertiesRead(outputs)].filter(([, read]) => read.has(property)).map(([input]) => input));
