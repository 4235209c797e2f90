import type { Row } from '../../api/reads.ts';

/** Chart, inputs and override of a task that deploys; null for one that does not. */
export function runOf({ operation }: Row<'deploymentTasks'>) {
  if ('Install' in operation) return operation.Install;
  return 'Upgrade' in operation ? operation.Upgrade : null;
}
