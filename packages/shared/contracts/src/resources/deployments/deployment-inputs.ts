import { jsonObjectWithin } from '../../fields/json-bytes.ts';
import { keptFieldsIn, pathWords } from './field-path.ts';

/**
 * The limit for the inputs, and for the override. The largest task holds both and the changes of the inputs; it must fit into one
 * answer, and so must a claim of it.
 */
export const maxInputBytes = 512 * 1024;

export const ConfigInputs = jsonObjectWithin(maxInputBytes);
export const ValuesOverride = jsonObjectWithin(maxInputBytes)
  .refine((values) => keptFieldsIn(values) !== null, {
    path: ['berth', 'fields', 'keep'],
    message: `must be a list of paths, each of which ${pathWords}`,
  })
  .nullable();
