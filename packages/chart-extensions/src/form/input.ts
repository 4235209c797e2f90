import { z } from 'zod';
import { asciiLowerCase } from '@berth/contracts/fields/ascii-case';
import { isForbiddenKey, Json } from '@berth/contracts/fields/json';
import { ruleWords } from '@berth/contracts/fields/rule-words';
import { Collection } from './collection.ts';
import { compareDecimals, Decimal } from './decimal.ts';
import { nullsAbsent } from '../nulls-absent.ts';
import { ShowRule } from './show-rule.ts';

const singleTypes = ['text', 'number', 'Checkbox', 'RadioSelect', 'CollectionSelect', 'DaysAndHour'] as const;
export type SingleType = (typeof singleTypes)[number];

const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.preprocess(
    // Existing charts write these names in any case.
    (value) =>
      names.find((name) => typeof value === 'string' && asciiLowerCase(name) === asciiLowerCase(value)) ?? value,
    z.enum(names, ruleWords(`must be one of ${names.join(', ')}`)),
  );

const Option = nullsAbsent({ value: Json, label: z.string().optional(), helpText: z.string().optional() });

const FieldCondition = z.strictObject({ field: z.string(), value: Json });

export const InputId = z
  .string()
  .min(1, 'must not be empty')
  .max(200)
  .refine((id) => !isForbiddenKey(id), 'is not a possible name');

/** A field of a chart's form. */
export const Input = nullsAbsent({
  id: InputId,
  type: oneOf([...singleTypes, 'array']),
  itemType: oneOf(singleTypes).optional(),
  collection: Collection.optional(),
  label: z.string(),
  initialValue: Json.optional(),
  helpText: z.string().optional(),
  required: z.boolean().default(false),
  sensitive: z.boolean().default(false),
  options: z.array(Option).max(1000).optional(),
  showIfAll: z.array(FieldCondition).max(100).optional(),
  showIf: ShowRule.optional(),
  filters: z.array(FieldCondition).max(100).optional(),
  minimum: Decimal.optional(),
  maximum: Decimal.optional(),
  step: Decimal.optional(),
}).superRefine((input, context) => {
  const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });

  if (input.type === 'array' && input.itemType === undefined) refuse('itemType', 'is required for an array');
  const type = typeOfItems(input);
  if (type === 'CollectionSelect' && input.collection === undefined) {
    refuse('collection', 'is required for a CollectionSelect');
  }
  if (type === 'RadioSelect' && !input.options?.length) refuse('options', 'is required for a RadioSelect');
  if (input.minimum && input.maximum && compareDecimals(input.minimum, input.maximum) > 0) {
    refuse('minimum', 'must not be above maximum');
  }
  if (input.step && compareDecimals(input.step, '0') <= 0) refuse('step', 'must be above 0');
});
export type Input = z.infer<typeof Input>;

/** The type of an input, or of the items of an array. */
export const typeOfItems = ({ type, itemType }: Pick<Input, 'type' | 'itemType'>): SingleType | undefined =>
  type === 'array' ? itemType : type;
