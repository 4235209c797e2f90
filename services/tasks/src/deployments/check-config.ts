import { type ConfigReference, configReferences } from '@berth/shared/chart-extensions/config-references';
import type { Input } from '@berth/shared/chart-extensions/input';
import { validateConfig } from '@berth/shared/chart-extensions/validate-config';
import type { ValuesUi } from '@berth/shared/chart-extensions/values-ui';
import { pathOf } from '@berth/shared/contracts/field-errors';
import { type JsonObject, sameJson } from '@berth/shared/contracts/json';
import type { FieldError } from '@berth/shared/errors';
import { collectionKey, itemName } from '../collections/collection-key.ts';
import { findItems, type ItemReaders } from '../collections/find-items.ts';
import type { Reference } from './reference.ts';
import { unfitAll } from './refuse.ts';

export interface ConfigWanted {
  form: ValuesUi | null;
  config: JsonObject;
  envId: string;
  /** Where the config lies in the request. */
  at: string;
}

/** The references of a config that fits the form of its chart; throws with every field that does not (decision 6). */
export async function checkConfig(
  readers: ItemReaders,
  { form, config, envId, at }: ConfigWanted,
): Promise<Reference[]> {
  if (form === null) return [];
  const errors = validateConfig(form, config, at);
  if (errors.length > 0) throw unfitAll(errors.slice(0, 50));

  const references = configReferences(form, config);
  const itemOf = await findItems(readers, references, envId);
  const missing = references.flatMap((reference) => {
    const message = referenceProblem(reference, itemOf(reference), form.inputs);
    return message === null ? [] : [{ path: pathOf([at, reference.input]), message } satisfies FieldError];
  });
  if (missing.length > 0) throw unfitAll(missing);

  return references.flatMap(({ input, collection, id }) => {
    const key = collectionKey(collection);
    return key === null ? [] : [{ input, collection: key, item_id: id }];
  });
}

function referenceProblem(
  { input, collection }: ConfigReference,
  item: JsonObject | undefined,
  inputs: readonly Input[],
): string | null {
  const key = collectionKey(collection);
  if (key === null) return null;
  if (!item) return `no such ${itemName[key]} in the env`;

  const filters = inputs.find(({ id }) => id === input)?.filters ?? [];
  const broken = filters.find(({ field, value }) => Object.hasOwn(item, field) && !sameJson(item[field], value));
  return broken ? `must point to a ${itemName[key]} whose ${broken.field} is ${JSON.stringify(broken.value)}` : null;
}
