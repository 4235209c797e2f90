import { type FragmentSqlToken, sql } from 'slonik';
import type { ListCursor } from './list-cursor.ts';

const microsOfDay = 86_400_000_000n;

/**
 * Postgres multiplies intervals in floating point. This is exact here, because days and the microseconds of a day are multiplied
 * separately.
 */
export function timeOf({ micros }: ListCursor): FragmentSqlToken {
  if (micros.endsWith('Infinity')) return sql.fragment`${micros}::timestamptz`;
  const part = BigInt(micros) % microsOfDay;
  const days = Number((BigInt(micros) - part) / microsOfDay);
  return sql.fragment`timestamptz 'epoch' + ${days} * interval '1 day' + ${Number(part)} * interval '1 microsecond'`;
}
