import type { Resource } from '../../contracts/contract.ts';

/** Of a row, what those who watch need: its id, and what its contract names. */
export function eventRow({ state }: Pick<Resource, 'state'>, row: Record<string, unknown>): Record<string, unknown> {
  const shown = ['id', ...(state?.event ?? [])];
  return Object.fromEntries(shown.flatMap((field) => (field in row ? [[field, row[field]]] : [])));
}

/** Whether some service keeps a copy of its rows; others are only announced. */
export const isCopied = ({ state }: Pick<Resource, 'state'>): boolean => (state?.consumers.length ?? 0) > 0;
