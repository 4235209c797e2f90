import { z } from 'zod';
import { AppError } from '@berth/contracts/errors';

/**
 * The position of a row in the default order: its time and id. A number cannot hold all of Postgres' times to the microsecond, so
 * the time is text: whole microseconds since 1970, or one of the two infinities.
 */
export interface ListCursor {
  micros: string;
  id: string;
}

/** The first time that Postgres can store, and the last one (in the year 294,247) that it prints exactly. */
const earliest = -210_866_803_200_000_000n;
const latest = 9_223_372_036_854_775_807n;

const isTime = (micros: string): boolean =>
  /^-?Infinity$/.test(micros) ||
  (/^-?\d{1,19}$/.test(micros) && BigInt(micros) >= earliest && BigInt(micros) <= latest);

const Parts = z.tuple([z.string().refine(isTime), z.uuid()]);

export const encodeCursor = ({ micros, id }: ListCursor): string =>
  Buffer.from(`${micros} ${id}`).toString('base64url');

/** The cursor in `after` or the parameter of the given name; null for the first page, where it is empty. */
export function decodeCursor(after: string, parameter = 'after'): ListCursor | null {
  if (after === '') return null;
  const parts = Parts.safeParse(Buffer.from(after, 'base64url').toString().split(' '));
  if (!parts.success) {
    const message = 'must be empty or the `next` of the page before';
    const path = `query.${parameter}`;
    throw new AppError('invalid', `${path}: ${message}`, { errors: [{ path, message }] });
  }
  const [micros, id] = parts.data;
  return { micros, id };
}
