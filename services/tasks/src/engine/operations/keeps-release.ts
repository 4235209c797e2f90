import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { Operation } from './operation.ts';
import { goneMeanwhile } from './task-of.ts';

const words = 'Nothing is installed';

/** The deployment may be installed by an earlier task. */
export const nothingInstalled = (
  { revision_id }: Pick<DeploymentRecord, 'revision_id'>,
  hasOpenTasks: boolean,
): string | null => (revision_id === null && !hasOpenTasks ? words : null);

/** Common to operations that act on the installed release without changing it. */
export const keepsRelease = {
  effect: 'keeps',
  change: null,
  dryRun: () => null,
  nothingToDo: (deployment) => goneMeanwhile(deployment) ?? (deployment.revision_id === null ? words : null),
  startEvent: null,
  afterSuccess: (deployment) => deployment,
} satisfies Partial<Operation>;
