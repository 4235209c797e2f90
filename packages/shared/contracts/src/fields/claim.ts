import { z } from 'zod';
import { Id } from './fields.ts';

/**
 * Names a claim of a task, or of a dry run, whose id is then in `task_id`. Fences cannot be guessed, so only the runner that made
 * the claim knows its fence.
 */
export const Claim = { task_id: Id, fence: z.number().int() };
