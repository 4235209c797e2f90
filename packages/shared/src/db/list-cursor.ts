import { z } from 'zod';
import { AppError } from '../errors.ts';

/** The place of a row in the fixed order: its time in microseconds since 1970, exact as Postgres keeps it, and its id. */
export interface ListCursor {
  micros: number;
  id: string;
}

const Parts = z.tuple([
  z
    .string()
    .regex(/^-?\d{1,16}$/)
    .transform(Number)
    .pipe(z.number().int()),
  z.uuid(),
]);

export const encodeCursor = ({ micros, id }: ListCursor): string =>
  Buffer.from(`${micros} ${id}`).toString('base64url');

/** The cursor behind `after`; null at the start of the list, where it is empty. */
export function decodeCursor(after: string): ListCursor | null {
  if (after === '') return null;
  const parts = Parts.safeParse(Buffer.from(after, 'base64url').toString().split(' '));
  if (!parts.success) {
    const message = 'must be empty or the `next` of the page before';
    throw new AppError('invalid', `query.after: ${message}`, { errors: [{ path: 'query.after', message }] });
  }
  const [micros, id] = parts.data;
  return { micros, id };
}
