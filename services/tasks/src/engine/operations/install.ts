import { changesTo, deployRun, deploys, pathsIn, whatRuns } from './deploys.ts';
import type { Operation } from './operation.ts';
import { taskOf } from './task-of.ts';

/** Enables a deployment: its first release, or the next one after it was disabled. */
export const install: Operation = {
  ...deploys,
  refusal: ({ enabled }) => (enabled ? 'The deployment is enabled already' : null),
  change: {
    of: (requested) => ({ enabled: true, ...('Install' in requested && changesTo(requested.Install)) }),
    paths: pathsIn('Install'),
  },

  task: ({ after, kind, reinstallDependents }) => ({
    ...taskOf(after),
    operation: { Install: whatRuns(after) },
    run: deployRun(after, kind),
    reinstall_dependents: reinstallDependents,
  }),

  startEvent: 'Install starts',
};
