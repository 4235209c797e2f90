import { Bug } from '@berth/contracts/errors';
import type { TaskOperation } from '@berth/contracts/resources/tasks/task-operation';
import { deploys, unlessLeftBehind } from './deploys.ts';
import { after } from '../deployments/lifecycle.ts';
import type { Operation } from './operation.ts';
import { nothingToRunAgain, taskOf, unlessEnabled } from './task-of.ts';

const nothingInstalled = 'Nothing is installed, so there is nothing to reinstall';

export const reinstallFor = (reason: string): TaskOperation => ({ Reinstall: { reason } });

/** Repeats the revision because an item that it uses has changed. */
export const reinstall: Operation = {
  effect: 'repeats',
  // The deployment may be installed by an earlier task.
  refusal: (deployment, hasOpenTasks) =>
    unlessEnabled(deployment) ?? (deployment.revision_id === null && !hasOpenTasks ? nothingInstalled : null),
  change: null,

  task: ({ after, requested }) => {
    if (!requested || !('Reinstall' in requested)) throw new Bug('A Reinstall is made by a request for it');
    return { ...taskOf(after), operation: requested };
  },

  // Its run is known only when it starts.
  dryRun: () => null,

  nothingToDo: (deployment) =>
    deploys.nothingToDo(deployment) ?? (deployment.revision_id === null ? nothingInstalled : null),

  runAtStart: (task, deployment, revision) => {
    if (task.run) return deploys.runAtStart(task, deployment);
    if (!revision) return { impossible: 'What was installed last is not known: make an Upgrade' };
    return unlessLeftBehind(revision, deployment);
  },

  isRepeatable: true,
  startEvent: 'Reinstall starts',
  // Chart and inputs are unchanged, so the revision stays.
  afterSuccess: (deployment) => after(deployment, 'release runs'),
  retry: ({ operation }) => ('Reinstall' in operation ? { request: operation } : nothingToRunAgain),
};
