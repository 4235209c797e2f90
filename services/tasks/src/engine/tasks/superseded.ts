import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { OpenTask } from '../../records/open-task.ts';

type Considered = Pick<OpenTask, 'status' | 'effect' | 'awaits_readiness'>;

/**
 * The started task that a later one of its deployment may end at once: it deploys and only awaits readiness. Neither Helm nor a
 * hook works for it, so its runner has nothing to stop.
 */
export const supersedable = <Task extends Considered>(open: readonly Task[]): Task | undefined =>
  open.find(
    ({ status, effect, awaits_readiness }) =>
      status === 'Started' && awaits_readiness && (effect === 'installs' || effect === 'repeats'),
  );

type Enabled = Pick<DeploymentRecord, 'enabled'>;

/** Whether a change supersedes unasked: what is to be removed need not get ready. */
export const alwaysSupersedes = (before: Enabled | null, after: Enabled): boolean =>
  before?.enabled === true && !after.enabled;

/** The reason of the task that ended for it. */
export const supersededBy = (taskId: string): string => `superseded by task ${taskId}`;
