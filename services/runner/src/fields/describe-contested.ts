import type { JsonValue } from '@berth/contracts/fields/json';
import type { ContestedOfObject } from './fields-of-manifests.ts';

/** A JSON pointer. */
export const pointerOf = (path: readonly string[]): string =>
  path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The line of a task's log about a contested field. Only numbers and flags are shown: a text may hold what nobody called a secret. */
export function describeContested({ kind, name, path, manager, live, chart, keptBecause }: ContestedOfObject): string {
  const [now, wanted] = [plain(live), plain(chart)];
  const values = now !== null && wanted !== null ? ` (${now} in the cluster, ${wanted} in the chart)` : '';
  const field = `${kind} ${name}: ${pointerOf(path)}${values}`;
  const by = manager === null ? '' : `, which ${manager} has changed,`;
  return keptBecause === null
    ? `${field}${by} is taken back: the chart's value applies`
    : `${field}${by} is kept: ${keptBecause}`;
}

const plain = (value: JsonValue | undefined): string | null =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
