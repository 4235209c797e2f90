import type { PlanCut, PlannedField } from '@berth/contracts/resources/tasks/deployment-plans';
import type { DryRunResult } from '@berth/contracts/resources/tasks/dry-runs';
import { isJson, type JsonValue } from '@berth/contracts/fields/json';
import { jsonBytes } from '@berth/contracts/fields/json-bytes';
import { startOf } from '@berth/contracts/cut-text';
import { plainText } from '@berth/contracts/plain-text';

/** An answer holds at most two dry runs. */
export const most = {
  objects: 500,
  hooks: 100,
  fields: 100,
  contested: 50,
  name: 300,
  path: 1_000,
  valueBytes: 2_048,
  textCharacters: 1_000,
  bytes: 512 * 1024,
};

type Objects = DryRunResult['objects'];

/** Most important first: if they do not fit, the last ones are left out. */
const order: Readonly<Record<Objects[number]['action'], number>> = {
  blocked: 0,
  replace: 1,
  delete: 2,
  change: 3,
  create: 4,
  keep: 5,
};

/** A result that fits into an answer and counts what it leaves out. */
export function boundResult({
  objects,
  hooks,
  contested,
  untried,
  unchanged,
  cut: before,
}: DryRunResult): DryRunResult {
  const cut: PlanCut = { ...before };
  const shownHooks = hooks.slice(0, most.hooks).map((hook) => ({ ...hook, ...named(hook) }));
  cut.hooks += hooks.length - shownHooks.length;

  const shownContested = contested && boundContested(contested, cut);
  const others = { ...(shownContested && { contested: shownContested }), ...(untried && { untried }) };
  let left = most.bytes - jsonBytes(shownHooks) - jsonBytes(others);
  const shown: Objects = [];
  for (const object of objects.toSorted((a, b) => order[a.action] - order[b.action])) {
    const plain = {
      ...object,
      ...named(object),
      reason: object.reason === null ? null : plainText(object.reason, most.name),
    };
    const bare = jsonBytes({ ...plain, fields: [] });
    if (shown.length === most.objects || bare > left) {
      cut.objects += 1;
      continue;
    }
    left -= bare;
    const fields: PlannedField[] = [];
    for (const field of object.fields) {
      const small = smallField(field, cut);
      const bytes = jsonBytes(small) + 1;
      if (fields.length === most.fields || bytes > left) {
        cut.fields += 1;
        continue;
      }
      left -= bytes;
      fields.push(small);
    }
    shown.push({ ...plain, fields });
  }
  return { objects: shown, hooks: shownHooks, ...others, unchanged, cut };
}

type Contested = NonNullable<DryRunResult['contested']>;

function boundContested(contested: Contested, cut: PlanCut): Contested {
  const shown = contested.slice(0, most.contested).map((field) => {
    const { live, chart, ...rest } = field;
    const small = { ...rest, ...named(rest), path: plainText(field.path, most.path) };
    const { before, after } = smallField(
      {
        path: '',
        hidden: field.hidden,
        ...(live !== undefined && { before: live }),
        ...(chart !== undefined && { after: chart }),
      },
      cut,
    );
    return {
      ...small,
      manager: field.manager === null ? null : plainText(field.manager, most.name),
      reason: field.reason === null ? null : plainText(field.reason, most.name),
      ...(before !== undefined && { live: before }),
      ...(after !== undefined && { chart: after }),
    };
  });
  cut.fields += contested.length - shown.length;
  return shown;
}

function smallField(field: PlannedField, cut: PlanCut): PlannedField {
  const small = { ...field, path: plainText(field.path, most.path) };
  for (const side of ['before', 'after'] as const) {
    const value = field[side];
    if (value === undefined || (isJson(value) && jsonBytes(value) <= most.valueBytes)) continue;
    small[side] = startOfValue(value);
    cut.values += 1;
  }
  return small;
}

/** Also removes characters that an answer cannot carry, such as NUL. */
const startOfValue = (value: JsonValue): string =>
  `${startOf(typeof value === 'string' ? value.replaceAll('\0', '') : JSON.stringify(value), most.textCharacters)}…`;

/** A chart may give its objects any name. */
const named = ({ api_version, kind, namespace, name }: Omit<DryRunResult['hooks'][number], 'events'>) => ({
  api_version: plainText(api_version, most.name),
  kind: plainText(kind, most.name),
  namespace: namespace === null ? null : plainText(namespace, most.name),
  name: plainText(name, most.name),
});
