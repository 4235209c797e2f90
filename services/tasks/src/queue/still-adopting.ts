import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { NewTask } from '../records/new-task.ts';
import type { ReadingStore } from '../store/store.ts';

type Adopter = Pick<DeploymentRecord, 'id' | 'revision_id' | 'cluster_id' | 'namespace'>;

/** Until a deploy has taken the release over, every deploy has to adopt it: also a change or a retry after an adoption that failed. */
export async function stillAdopting(
  { tasks }: Pick<ReadingStore, 'tasks'>,
  deployment: Adopter,
  planned: readonly NewTask[],
): Promise<NewTask[]> {
  const deploys = planned.some(({ run }) => run?.action === 'deploy');
  const adopts = deploys && deployment.revision_id === null && (await tasks.awaitsAdoption(deployment));
  return adopts ? planned.map(adopting) : [...planned];
}

export const adopting = (task: NewTask): NewTask =>
  task.run?.action === 'deploy' ? { ...task, run: { ...task.run, adopts: true } } : task;
