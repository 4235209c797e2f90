import { z } from 'zod';

/** The number of dependents of a row, with some of their names for the message that refuses its deletion. */
export const Usage = z.strictObject({ count: z.number().int(), names: z.array(z.string()).max(10) });
export type Usage = z.infer<typeof Usage>;
