import type { DeploymentChanges } from '@berth/contracts/resources/deployments/deployments';
import { type DeploymentRecord } from '../../records/deployment-record.ts';
import type { DeploymentsDeps } from '../../deployments/deployments-deps.ts';
import { pathsOf } from '../../engine/operations/index.ts';
import { fitChanges } from '../../deployments/fit-changes.ts';
import { saveFit, tasksOf } from '../../deployments/make-changes.ts';
import { conflict } from '../../errors/refuse.ts';
import type { WritingStore } from '../../store/store.ts';
import type { TaskRecord } from '../../records/task-record.ts';
import type { TaskRun } from '../../records/task-run.ts';
import { variantOf } from '../../records/variant.ts';

type ChangeDeps = Pick<DeploymentsDeps, 'heldReaders' | 'reserved'>;

export interface Changed {
  deployment: DeploymentRecord;
  operation: TaskRecord['operation'];
  run: TaskRun | null;
}

/** Makes the change of a scheduled task at its start, with the checks of a new request. */
export async function changeAtStart(
  { heldReaders, reserved }: ChangeDeps,
  store: WritingStore,
  { task, change, deployment: before }: { task: TaskRecord; change: DeploymentChanges; deployment: DeploymentRecord },
): Promise<Changed> {
  const variant = variantOf(task.operation);
  const paths = pathsOf(variant);
  const options = { paths, visible: 'all' as const, reserved, readers: heldReaders(store) };
  const fit = await fitChanges(store, before, change, options);
  const deployment = await saveFit(store, fit);
  const [planned, ...more] = await tasksOf(store, [variant], before, { ...fit, after: deployment });
  if (!planned || more.length > 0) {
    throw conflict('A release was left behind at another place; make the change again, without a time');
  }
  return { deployment, operation: planned.operation, run: planned.run ?? null };
}
