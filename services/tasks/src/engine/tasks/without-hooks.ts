import type { NewTask } from '../../records/new-task.ts';
import { type Variant, variantOf } from '../../records/variant.ts';
import { operations } from '../operations/index.ts';

export const removesRelease = (variant: Variant): boolean =>
  operations[variant].effect === 'removes' || operations[variant].effect === 'moves';

/** The task; if it removes the release, without running hooks, one of which may fail each time. */
export const withoutHooks = <Task extends NewTask>(task: Task): Task =>
  removesRelease(variantOf(task.operation)) ? { ...task, skips_hooks: true } : task;
