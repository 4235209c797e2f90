import type { NewTask } from '../../records/new-task.ts';
import type { Variant } from '../../records/variant.ts';
import type { Planned } from '../operations/operation.ts';
import { operations } from '../operations/index.ts';

/** The tasks of a plan, each with all that it needs to run later. */
export const plannedTasks = (plan: readonly Variant[], planned: Planned): NewTask[] =>
  plan.map((variant) => operations[variant].task(planned));
