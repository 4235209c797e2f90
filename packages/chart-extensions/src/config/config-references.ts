import type { JsonObject } from '@berth/contracts/fields/json';
import type { Collection } from '../form/collection.ts';
import { type Input, typeOfItems } from '../form/input.ts';
import type { ValuesUi } from '../form/values-ui.ts';
import { visibleInputs } from './visible-inputs.ts';

/** A reference of a config to an item of a collection. */
export interface ConfigReference {
  input: string;
  collection: Collection;
  id: string;
}

/** The items to which the inputs of a config point, with arrays item by item. Hidden inputs count as absent. */
export const configReferences = (form: Pick<ValuesUi, 'inputs'>, config: JsonObject): ConfigReference[] =>
  visibleInputs(form, config).flatMap((input) => referencesOf(input, config));

export function referencesOf(input: Input, config: JsonObject): ConfigReference[] {
  const { id: name, collection } = input;
  if (typeOfItems(input) !== 'CollectionSelect' || collection === undefined) return [];
  const value = Object.hasOwn(config, name) ? config[name] : undefined;
  const ids = Array.isArray(value) ? value : [value];
  return ids.flatMap((id) => (typeof id === 'string' ? [{ input: name, collection, id: id.toLowerCase() }] : []));
}
