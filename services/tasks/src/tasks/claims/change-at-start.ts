import type { DeploymentChanges } from '@berth/contracts/resources/deployments/deployments';
import { type DeploymentRecord } from '../../records/deployment-record.ts';
import { pathsOf } from '../../engine/operations/index.ts';
import { saveDeployment } from '../../deployments/make-change.ts';
import { proposeChange, type ProposeDeps } from '../../deployments/propose-change.ts';
import { conflict } from '../../errors/refuse.ts';
import type { WritingStore } from '../../store/store.ts';
import type { TaskRecord } from '../../records/task-record.ts';
import type { TaskRun } from '../../records/task-run.ts';
import { variantOf } from '../../records/variant.ts';

export interface Changed {
  deployment: DeploymentRecord;
  operation: TaskRecord['operation'];
  run: TaskRun | null;
}

/** Makes the change of a scheduled task at its start, with the checks of a new request. */
export async function changeAtStart(
  deps: ProposeDeps,
  store: WritingStore,
  { task, change, deployment: before }: { task: TaskRecord; change: DeploymentChanges; deployment: DeploymentRecord },
): Promise<Changed> {
  const variant = variantOf(task.operation);
  const wanted = { before, changes: change, visible: 'all', paths: pathsOf(variant), plan: [variant] } as const;
  const proposed = await proposeChange(deps, store, wanted);
  const [planned, ...more] = proposed.tasks;
  if (!planned || more.length > 0) {
    throw conflict('A release was left behind at another place; make the change again, without a time');
  }
  const deployment = await saveDeployment(store, proposed);
  return { deployment, operation: planned.operation, run: planned.run ?? null };
}
