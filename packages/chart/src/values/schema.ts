/** A JSON schema, and the pieces that the values of the chart consist of. */
export interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly [keyword: string]: unknown;
}

export const text: Schema = { type: 'string' };
export const flag: Schema = { type: 'boolean' };
export const map: Schema = { type: 'object' };
export const list = (items: Schema): Schema => ({ type: 'array', items });
export const texts = list({ type: 'string', minLength: 1 });
export const strings: Schema = { type: 'object', additionalProperties: { type: 'string' } };
export const port: Schema = { type: 'integer', minimum: 1, maximum: 65_535 };
export const whole = (minimum: number, maximum: number): Schema => ({ type: 'integer', minimum, maximum });
export const oneOf = (...values: string[]): Schema => ({ enum: values });
export const matching = (pattern: string): Schema => ({ type: 'string', pattern });
export const orEmpty = (pattern: string): string => `^$|${pattern}`;

/** Refuses unknown members, because misspelled values would otherwise be ignored silently. */
export const object = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
});

export const dnsName = '^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$';
export const secretName = matching(orEmpty(dnsName));
export const secretKey = matching('^[A-Za-z0-9._-]+$');
export const secretKeyOrNone = matching(orEmpty('^[A-Za-z0-9._-]+$'));
export const httpUrl = '^https?://[^/?#\\s]+[^?#\\s]*$';
export const quantity = matching('^[0-9]+(\\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti)?$');
export const resources: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: { requests: map, limits: map, claims: list(map) },
};
export const existing = (...keys: string[]): Schema =>
  object({ existingSecret: secretName, ...Object.fromEntries(keys.map((key) => [key, secretKey])) });
