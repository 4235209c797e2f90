import { z } from 'zod';
import { Id } from './fields.ts';

/** Names a claim of a task or, with its id in `task_id`, of a dry run. A fence cannot be guessed: only the claim's runner knows it. */
export const Claim = { task_id: Id, fence: z.number().int() };
