import { Id } from '@berth/contracts/fields/fields';
import { z } from 'zod';

/** The caller that created a task. */
export const Requester = z.strictObject({ kind: z.enum(['user', 'bot', 'deployment']), id: Id });
export type Requester = z.infer<typeof Requester>;
