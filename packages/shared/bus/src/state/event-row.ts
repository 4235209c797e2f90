import type { Resource } from '@berth/contracts/definition/contract';

/** The part of a row that is in its events: its id and the fields that the contract names. */
export function eventRow({ state }: Pick<Resource, 'state'>, row: Record<string, unknown>): Record<string, unknown> {
  const shown = ['id', ...(state?.event ?? [])];
  return Object.fromEntries(shown.flatMap((field) => (field in row ? [[field, row[field]]] : [])));
}

/** Whether any service has a projection of its rows; for other resources, only events are published. */
export const isCopied = ({ state }: Pick<Resource, 'state'>): boolean => (state?.consumers.length ?? 0) > 0;
