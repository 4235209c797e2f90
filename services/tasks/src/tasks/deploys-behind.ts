import type { TaskRecord } from './task-record.ts';

/**
 * Of the open tasks of a deployment, in their order, those that install something at the place to which a Recreate was
 * to go (decision 6). One that is not open any more was the first of them.
 */
export const deploysBehind = (
  open: readonly Pick<TaskRecord, 'id' | 'status' | 'run'>[],
  recreate: Pick<TaskRecord, 'id'>,
): string[] =>
  open
    .slice(open.findIndex(({ id }) => id === recreate.id) + 1)
    .filter(({ status, run }) => status === 'Pending' && run?.action === 'deploy')
    .map(({ id }) => id);
