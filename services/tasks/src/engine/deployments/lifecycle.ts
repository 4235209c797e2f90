import type { DeploymentTask } from '@berth/contracts/resources/tasks/deployment-tasks';
import type { DeploymentRecord, DeploymentState } from '../../records/deployment-record.ts';

interface Transition<State extends string> {
  /** The states in which the event can happen. A test walks all sequences of events and finds exactly these. */
  from: readonly State[];
  to: State;
}

/** States that a deployment keeps until a task starts. */
const resting = ['Unknown', 'Running', 'Error', 'Uninstalled'] as const;

/**
 * The states of a deployment: which events can happen in each, and which state follows. A task that a runner handed back starts
 * again from the state that its first start made. `deleting` is not a state: it hides the others.
 */
export const deploymentLifecycle = {
  'Install starts': { from: [...resting, 'Installing', 'Renaming'], to: 'Installing' },
  'Upgrade starts': { from: [...resting, 'Upgrading', 'Renaming'], to: 'Upgrading' },
  'Reinstall starts': { from: ['Running', 'Error', 'Upgrading'], to: 'Upgrading' },
  'Recreate starts': { from: [...resting, 'Renaming'], to: 'Renaming' },
  'Uninstall starts': { from: [...resting, 'Uninstalling', 'Renaming'], to: 'Uninstalling' },
  'release runs': { from: ['Installing', 'Upgrading'], to: 'Running' },
  'release removed': { from: ['Uninstalling'], to: 'Uninstalled' },
  'release removed, another follows': { from: ['Renaming'], to: 'Renaming' },
  'release removed, none follows': { from: ['Renaming'], to: 'Error' },
  // Also before it ran, if its run has become impossible.
  'task fails': {
    from: ['Running', 'Error', 'Installing', 'Upgrading', 'Renaming', 'Uninstalling'],
    to: 'Error',
  },
  'namespace lost': { from: ['Running'], to: 'Error' },
  'task canceled after its start': { from: ['Installing', 'Upgrading', 'Renaming', 'Uninstalling'], to: 'Error' },
} as const satisfies Record<string, Transition<DeploymentState>>;

/** A Recreate is canceled before it removed anything: the deployment returns to its state before the start. */
export const deploymentReturn = { event: 'Recreate canceled in time', from: 'Renaming', to: resting } as const;
export type DeploymentEvent = keyof typeof deploymentLifecycle;

/** The deployment after the event. The reason tells the user what to do, unless the state is enough. */
export const after = (
  deployment: DeploymentRecord,
  event: DeploymentEvent,
  reason: string | null = null,
): DeploymentRecord => ({ ...deployment, state: deploymentLifecycle[event].to, reason });

type TaskStatus = DeploymentTask['status'];

/** The states of a task. A retry makes a new task and leaves the old one as it is. */
export const taskLifecycle = {
  claimed: { from: ['Pending'], to: 'Started' },
  'put back': { from: ['Started'], to: 'Pending' },
  done: { from: ['Started'], to: 'Done' },
  failed: { from: ['Started'], to: 'Failed' },
  canceled: { from: ['Pending', 'Started'], to: 'Canceled' },
} as const satisfies Record<string, Transition<TaskStatus>>;

/** Retriable: tasks that ended without success. */
const retriable: readonly TaskStatus[] = [taskLifecycle.failed.to, taskLifecycle.canceled.to];

export const isRetriable = (status: TaskStatus): boolean => retriable.includes(status);

const cancelable: readonly TaskStatus[] = taskLifecycle.canceled.from;

export const isCancelable = (status: TaskStatus): boolean => cancelable.includes(status);
