import { z } from 'zod';
import { Id } from './fields.ts';

/** Names a claim of a task, or of a dry run by its id in `task_id`. Nobody can guess a fence, so only the runner of the claim knows it. */
export const Claim = { task_id: Id, fence: z.number().int() };
