import { type ResourceTypeSpec, ResourceTypeSpec as Spec } from '@berth/chart-extensions/files/resource-types';
import type { JsonObject } from '@berth/contracts/fields/json';
import { parseOnce } from '../deployments/parse-once.ts';
import { conflict } from '../errors/refuse.ts';
import type { Callable } from './sync/sync.ts';

export type { ResourceTypeSpec };

const parsed = parseOnce((stored) => Spec.safeParse(stored), { entries: 500, bytes: 4 * 1024 * 1024 });

/** A spec that was stored under older rules may violate the current ones. */
export function specOf(stored: JsonObject): ResourceTypeSpec {
  const { data } = parsed(stored);
  if (!data) throw conflict('The type of the resource does not fit the present rules: its chart has to be updated');
  return data;
}

/** Inputs whose values are sealed and never shown. */
export const sensitiveInputs = ({ values_ui: { inputs } }: Pick<ResourceTypeSpec, 'values_ui'>): string[] => [
  ...new Set(inputs.filter(({ sensitive }) => sensitive).map(({ id }) => id)),
];

/** If only older rules accepted the spec, every operation is a call, which fails with the reason. */
export function callableOf(stored: JsonObject): Callable {
  const { data } = parsed(stored);
  const calls = (operation: keyof Callable) => data === undefined || data.lifecycle[operation]?.target !== undefined;
  return { create: calls('create'), update: calls('update'), delete: calls('delete') };
}
