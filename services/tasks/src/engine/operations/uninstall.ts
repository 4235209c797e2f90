import { pathsIn } from './deploys.ts';
import { after } from '../deployments/lifecycle.ts';
import type { Operation } from './operation.ts';
import { placeOf } from '../deployments/place-of.ts';
import { taskOf, unlessEnabled } from './task-of.ts';
import { gone, uninstallRun } from './uninstalls.ts';

/** Disables a deployment. Also the last task of a deletion. */
export const uninstall: Operation = {
  effect: 'removes',
  refusal: unlessEnabled,
  // The request has no fields, so errors use the names of an Upgrade.
  change: { of: () => ({ enabled: false }), paths: pathsIn('Upgrade') },

  // Runs where the release is at its start; `installed` names that place then.
  task: ({ after }) => ({
    ...taskOf(after),
    cluster_id: after.installed_cluster_id ?? after.cluster_id,
    operation: { Uninstall: {} },
  }),

  dryRun: (_, deployment) => ({ action: 'uninstall', ...placeOf(deployment), run: null }),

  nothingToDo: () => null,
  runAtStart: ({ run }, deployment) => ({ run: run ?? uninstallRun(deployment, placeOf(deployment)) }),
  isRepeatable: true,
  startEvent: 'Uninstall starts',
  afterSuccess: (deployment) => after({ ...deployment, ...gone }, 'release removed'),

  retry: ({ deletes_deployment }, { deployment }) => {
    if (deletes_deployment) return { deletion: true };
    return deployment.enabled ? { refused: 'The deployment is enabled again' } : { plan: ['Uninstall'] };
  },
};
