import { type ConfigReference, configReferences } from '@berth/chart-extensions/config/config-references';
import type { Input } from '@berth/chart-extensions/form/input';
import { validateConfig } from '@berth/chart-extensions/config/validate-config';
import type { ValuesUi } from '@berth/chart-extensions/form/values-ui';
import { visibleInputs } from '@berth/chart-extensions/config/visible-inputs';
import { pathOf } from '@berth/contracts/fields/field-errors';
import { type JsonObject, sameJson } from '@berth/contracts/fields/json';
import type { FieldError } from '@berth/contracts/errors';
import { collectionKey, itemName } from '../collections/collection-key.ts';
import { referencesIn } from '../collections/references-in.ts';
import { findItems, type ItemReaders } from '../collections/find-items.ts';
import type { Reference } from '../records/reference.ts';
import { unfit, unfitAll } from '../errors/refuse.ts';

export interface ConfigWanted {
  form: ValuesUi | null;
  config: JsonObject;
  envId: string;
  /** The path of the config in the request. */
  at: string;
}

/** Each reference is a row to lock while the config is written, and a dependency to track afterwards. */
const maxReferences = 1_000;
const maxErrors = 50;
/** How many characters of a chart's value an error quotes. */
const shownCharacters = 200;

/** The references of a config that fits the form of its chart; throws with every field that does not (Specification, "Creation"). */
export async function checkConfig(
  readers: ItemReaders,
  { form, config, envId, at }: ConfigWanted,
): Promise<Reference[]> {
  if (form === null) return [];
  const errors = validateConfig(form, config, at);
  if (errors.length > 0) throw unfitAll(errors);

  const references = configReferences(form, config);
  if (references.length > maxReferences) {
    throw unfit(at, `points to ${references.length} items; it may point to ${maxReferences} at most`);
  }
  const itemOf = await findItems(readers, references, envId);
  const filtersOf = new Map(visibleInputs(form, config).map((input) => [input.id, input.filters ?? []]));
  const missing: FieldError[] = [];
  for (const reference of references) {
    const message = referenceProblem(reference, itemOf(reference), filtersOf.get(reference.input) ?? []);
    if (message !== null) missing.push({ path: pathOf([at, reference.input]), message });
    if (missing.length === maxErrors) break;
  }
  if (missing.length > 0) throw unfitAll(missing);

  return referencesIn(form, config);
}

function referenceProblem(
  { collection }: ConfigReference,
  item: JsonObject | undefined,
  filters: NonNullable<Input['filters']>,
): string | null {
  const key = collectionKey(collection);
  if (key === null) return null;
  if (!item) return `no such ${itemName[key]} in the env`;

  const broken = filters.find(({ field, value }) => Object.hasOwn(item, field) && !sameJson(item[field], value));
  if (!broken) return null;
  const value = JSON.stringify(broken.value);
  const shown = value.length > shownCharacters ? `${value.slice(0, shownCharacters).toWellFormed()}…` : value;
  return `must point to a ${itemName[key]} whose ${broken.field} is ${shown}`;
}
