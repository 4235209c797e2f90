import type { CallerName } from './contract.ts';

/**
 * Messages that may be lost: they make the receiver check sooner, and never decide anything.
 * Subject `hint.v1.<name>.<key>`; permissions follow from this table.
 */
export const hints = {
  /** A task became due; key `due`. */
  tasks_due: { sender: 'tasks', listeners: ['runner'] },
  /** A dry run waits for a runner; key `due`. */
  dry_runs_due: { sender: 'tasks', listeners: ['runner'] },
  /** A dry run has its result; key: its id. */
  dry_run_ended: { sender: 'tasks', listeners: ['tasks'] },
  /** Cancellation of a started task was requested; key: task id. */
  task_cancel: { sender: 'tasks', listeners: ['runner'] },
  /** Attempts that a replica has counted for a network; the key holds both. A lost hint lets that many more attempts through. */
  attempts_made: { sender: 'api-gateway', listeners: ['api-gateway'] },
  /** A person began to sign in; key: a hash of the state. A lost hint leaves the callback to the limit of its address. */
  sign_in_started: { sender: 'api-gateway', listeners: ['api-gateway'] },
  /** The log of a task has new lines, or has ended; key: task id. */
  task_log: { sender: 'tasks', listeners: ['api-gateway'] },
} as const satisfies Record<string, { sender: CallerName; listeners: readonly CallerName[] }>;

export type HintName = keyof typeof hints;
