import type { Resource } from '@berth/contracts/definition/contract';

/** The part of a row that events carry: its id, and the fields that its contract names. */
export function eventRow({ state }: Pick<Resource, 'state'>, row: Record<string, unknown>): Record<string, unknown> {
  const shown = ['id', ...(state?.event ?? [])];
  return Object.fromEntries(shown.flatMap((field) => (field in row ? [[field, row[field]]] : [])));
}

/** Whether some service keeps a projection of its rows; other rows are only announced. */
export const isCopied = ({ state }: Pick<Resource, 'state'>): boolean => (state?.consumers.length ?? 0) > 0;
