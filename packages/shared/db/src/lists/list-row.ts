import type { z } from 'zod';
import { exactShape } from '@berth/contracts/definition/exact-shape';
import type { Checked, RowSchema } from '../database.ts';

/** A row of a page, with the extra columns of the page's statement. */
export interface ListRow<Item> {
  item: Item;
  /** The number of rows in the whole list. */
  total: number;
  /** How many rows the page would have if all of them fitted; absent if none was left out. */
  found: number | undefined;
  /** The cursor at which a walk by keyset continues; empty in a page by number. */
  micros: string;
  id: string;
}

/**
 * Reads the rows of a list. Columns that begin with `list_` belong to the page; the others form the item and must have the names
 * and types of its schema. Single values were validated when they were written, so the whole schema is used only if the types
 * differ from it.
 */
export function listRow<Row extends z.ZodType>(schema: Row): RowSchema<ListRow<z.output<Row>>> {
  const hasShape = exactShape(schema);
  return { '~standard': { validate: (row) => (isRow(row) ? read(row) : { issues: [notThe('(row)')] }) } };

  function read(row: Record<string, unknown>): Checked<ListRow<z.output<Row>>> {
    const { list_total: total, list_found: found, list_micros: micros = '', list_id: id = '' } = row;
    if (!isCount(total) || !(found === undefined || isCount(found))) return { issues: [notThe('list_total')] };
    if (typeof micros !== 'string' || typeof id !== 'string') return { issues: [notThe('list_id')] };
    const item = withoutOurs(row);
    if (hasShape?.(item)) return { value: { item, total, found, micros, id } };
    const parsed = schema.safeParse(item);
    if (!parsed.success) return { issues: parsed.error.issues };
    return { value: { item: parsed.data, total, found, micros, id } };
  }
}

const isRow = (row: unknown): row is Record<string, unknown> => typeof row === 'object' && row !== null;

function withoutOurs(row: Record<string, unknown>): Record<string, unknown> {
  const item: Record<string, unknown> = {};
  for (const name of Object.keys(row)) if (!name.startsWith('list_')) item[name] = row[name];
  return item;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value);

const notThe = (column: string) => ({ path: [column], message: 'is not what the statement of a page has there' });
