import type { OpenTask } from '../../records/open-task.ts';

/**
 * Of the open tasks of a deployment, in their order, those that install something at the place to which a Recreate was
 * to go (Specification, "Order of tasks"). If the Recreate is no longer open, every open task comes after it.
 */
export const deploysBehind = (
  open: readonly Pick<OpenTask, 'id' | 'status' | 'deploys'>[],
  recreate: Pick<OpenTask, 'id'>,
): string[] =>
  open
    .slice(open.findIndex(({ id }) => id === recreate.id) + 1)
    .filter(({ status, deploys }) => status === 'Pending' && deploys)
    .map(({ id }) => id);
