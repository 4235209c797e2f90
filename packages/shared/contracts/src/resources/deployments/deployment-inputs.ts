import { jsonObjectWithin } from '../../fields/json-bytes.ts';

/**
 * Of the inputs and of the override each. The largest task holds both and what changed of the inputs, and has to fit
 * into one answer; so does what a runner gets of it.
 */
export const maxInputBytes = 512 * 1024;

export const ConfigInputs = jsonObjectWithin(maxInputBytes);
export const ValuesOverride = jsonObjectWithin(maxInputBytes).nullable();
