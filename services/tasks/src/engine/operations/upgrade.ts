import { configDelta } from '../deployments/config-delta.ts';
import { changesTo, deployRun, deploys, pathsIn, whatRuns } from './deploys.ts';
import type { Operation } from './operation.ts';
import { taskOf, unlessEnabled } from './task-of.ts';

/** Deploys another chart or other inputs, or installs at the new place after a Recreate. */
export const upgrade: Operation = {
  ...deploys,
  refusal: unlessEnabled,
  change: {
    of: (requested) => ('Upgrade' in requested ? changesTo(requested.Upgrade) : {}),
    paths: pathsIn('Upgrade'),
  },

  task: ({ before, after, kind, reinstallDependents, rollbackTo }) => ({
    ...taskOf(after),
    operation: {
      Upgrade: {
        ...whatRuns(after),
        prev_helm_chart_id: before?.helm_chart_id ?? null,
        config_delta: before && configDelta(before.config, after.config),
        ...(rollbackTo !== undefined && { rollback_to_task_id: rollbackTo }),
      },
    },
    run: deployRun(after, kind),
    reinstall_dependents: reinstallDependents,
  }),

  startEvent: 'Upgrade starts',
};
