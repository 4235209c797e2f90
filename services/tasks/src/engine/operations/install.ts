import { changesTo, deployRun, deploys, whatRuns } from './deploys.ts';
import { after } from '../deployments/lifecycle.ts';
import type { Operation } from './operation.ts';
import { taskOf } from './task-of.ts';

/** Enables a deployment: its first release, or the next one after it was disabled. */
export const install: Operation = {
  ...deploys,
  refusal: ({ enabled }) => (enabled ? 'The deployment is enabled already' : null),
  changes: (requested) => ('Install' in requested ? { enabled: true, ...changesTo(requested.Install) } : null),

  task: ({ after, kind, reinstallDependents }) => ({
    ...taskOf(after),
    operation: { Install: whatRuns(after) },
    run: deployRun(after, kind),
    reinstall_dependents: reinstallDependents,
  }),

  isRepeatable: true,
  startEvent: 'Install starts',
  afterSuccess: (deployment, revision_id) => ({ ...after(deployment, 'release runs'), revision_id }),
};
