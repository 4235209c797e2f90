import { Bug } from '@berth/contracts/errors';
import { unfit } from '../../errors/refuse.ts';
import { isLeftBehind } from '../deployments/is-left-behind.ts';
import { after } from '../deployments/lifecycle.ts';
import { releaseNameProblem } from '../deployments/namespace-of.ts';
import { isMoved } from '../deployments/what-changes.ts';
import type { Operation, Startable } from './operation.ts';
import { placeOf } from '../deployments/place-of.ts';
import { taskOf, unlessEnabled } from './task-of.ts';
import { gone, uninstallRun } from './uninstalls.ts';

export const notInstalledAgain =
  'It was removed from its old place, but the Upgrade that installs it again was canceled: retry it';

/** Removes the release from its old place; the Upgrade after it installs at the new one. */
export const recreate: Operation = {
  effect: 'moves',
  notRequestable: () => unfit('body.operation.Recreate', 'cannot be requested: rename or move the deployment'),
  refusal: unlessEnabled,
  change: null,

  task: ({ before, after }) => {
    const from = placeOf(before ?? after);
    return {
      ...taskOf(after),
      operation: {
        Recreate: {
          old_cluster_id: from.cluster_id,
          old_namespace: from.namespace,
          new_cluster_id: after.cluster_id,
          new_namespace: after.namespace,
        },
      },
      also_cluster_id: from.cluster_id === after.cluster_id ? null : from.cluster_id,
      undo:
        before && isMoved(before, after)
          ? { name: before.name, cluster_id: before.cluster_id, env_id: before.env_id, namespace: before.namespace }
          : null,
    };
  },

  dryRun: (task) => ({ action: 'uninstall', ...placesOf(task).from, run: null }),

  nothingToDo: () => null,

  runAtStart: (task, deployment) => {
    const { to, from } = placesOf(task);
    // A release must not be removed if it cannot be installed again.
    const tooLong = releaseNameProblem(to.namespace);
    if (tooLong !== null) return { impossible: tooLong };
    return { run: task.run ?? uninstallRun(deployment, from) };
  },

  isRepeatable: true,
  startEvent: 'Recreate starts',
  afterSuccess: (deployment, _, isFollowed) =>
    isFollowed
      ? after({ ...deployment, ...gone }, 'release removed, another follows')
      : after({ ...deployment, ...gone }, 'release removed, none follows', notInstalledAgain),

  /** Retried together with the Upgrade that installs at the new place. */
  retry: (_, { deployment, open }) => {
    const refused = unlessEnabled(deployment);
    if (refused !== null) return { refused };
    if (isLeftBehind(deployment, open)) return { plan: ['Recreate', 'Upgrade'] };
    return { refused: 'There is nothing left to move: rename or move the deployment again, or retry the Upgrade' };
  },
};

function placesOf({ operation }: Pick<Startable, 'operation'>) {
  if (!('Recreate' in operation)) throw new Bug('Only a Recreate names two places');
  const { old_cluster_id, old_namespace, new_cluster_id, new_namespace } = operation.Recreate;
  return {
    from: { cluster_id: old_cluster_id, namespace: old_namespace },
    to: { cluster_id: new_cluster_id, namespace: new_namespace },
  };
}
