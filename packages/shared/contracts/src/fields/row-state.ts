import { z } from 'zod';
import { Id } from './fields.ts';

/** A row as its owner has it now, with the version under which it is published; a deleted one as it was last. */
export const rowState = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({
    version: z.number().int(),
    operation: z.enum(['INSERT', 'UPDATE', 'DELETE']),
    env_id: Id.nullable(),
    row,
  });
