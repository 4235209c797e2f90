import { placeOf } from '../engine/deployments/place-of.ts';
import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { NewTask } from '../records/new-task.ts';
import type { DeployRun } from '../records/task-run.ts';
import type { DryRunRecord } from './dry-run-record.ts';

/** The dry runs for tasks: one for each place from which a release is removed or at which one is installed. */
export function dryRunsOf(
  tasks: readonly Pick<NewTask, 'operation' | 'run'>[],
  deployment: DeploymentRecord,
  revision: DeployRun | null,
): DryRunRecord[] {
  const of = { deployment_id: deployment.id, revision };
  return tasks.flatMap(({ operation, run }): DryRunRecord[] => {
    if ('Recreate' in operation) {
      const { old_cluster_id: cluster_id, old_namespace: namespace } = operation.Recreate;
      return [{ ...of, action: 'uninstall', cluster_id, namespace, run: null }];
    }
    if ('Uninstall' in operation) return [{ ...of, action: 'uninstall', ...placeOf(deployment), run: null }];
    if (run?.action !== 'deploy') return [];
    return [{ ...of, action: 'deploy', cluster_id: run.cluster_id, namespace: run.namespace, run }];
  });
}
