import type { OpenTask } from '../../records/open-task.ts';

/**
 * Of the open tasks of a deployment, in their order, those that install something at the place to which a Recreate was
 * to go (decision 6). One that is not open any more was the first of them.
 */
export const deploysBehind = (
  open: readonly Pick<OpenTask, 'id' | 'status' | 'deploys'>[],
  recreate: Pick<OpenTask, 'id'>,
): string[] =>
  open
    .slice(open.findIndex(({ id }) => id === recreate.id) + 1)
    .filter(({ status, deploys }) => status === 'Pending' && deploys)
    .map(({ id }) => id);
