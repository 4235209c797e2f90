import { z } from 'zod';

type Variants = Record<string, z.ZodType>;
type OneOutput<V extends Variants> = { [K in keyof V]: { [P in K]: z.output<V[K]> } }[keyof V];
type OneInput<V extends Variants> = { [K in keyof V]: { [P in K]: z.input<V[K]> } }[keyof V];

/**
 * An externally tagged value: an object with exactly one of the keys, such as `{"Install": {…}}`.
 * Unlike those of a union, its errors name the field inside the variant that was sent.
 */
export function oneKeyOf<const V extends Variants>(variants: V): z.ZodType<OneOutput<V>, OneInput<V>> {
  const names = Object.keys(variants);
  const optional = Object.fromEntries(Object.entries(variants).map(([key, schema]) => [key, schema.optional()]));

  return z
    .strictObject(optional)
    .refine(
      (value) => names.filter((name) => value[name] !== undefined).length === 1,
      `must have exactly one of the keys ${names.join(', ')}`,
    )
    .meta({ minProperties: 1, maxProperties: 1 }) as unknown as z.ZodType<OneOutput<V>, OneInput<V>>;
}
