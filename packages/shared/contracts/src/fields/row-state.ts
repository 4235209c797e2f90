import { z } from 'zod';
import { Id } from './fields.ts';

/** The owner's current row with its published version; for a deleted row, its last state. */
export const rowState = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({
    version: z.number().int(),
    operation: z.enum(['INSERT', 'UPDATE', 'DELETE']),
    env_id: Id.nullable(),
    row,
  });
