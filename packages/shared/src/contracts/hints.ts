import type { CallerName } from './contract.ts';

/**
 * Facts that may be lost: they make somebody look sooner, never decide anything.
 * Subject `hint.v1.<name>.<key>`; permissions follow from this table.
 */
export const hints = {
  /** A task became due; key `due`. */
  tasks_due: { sender: 'tasks', listeners: ['runner'] },
  /** Somebody asked to cancel a started task; key: task id. */
  task_cancel: { sender: 'tasks', listeners: ['runner'] },
  /** New lines in, or the end of, a task's log; key: task id. */
  task_log: { sender: 'tasks', listeners: ['api-gateway'] },
} as const satisfies Record<string, { sender: CallerName; listeners: readonly CallerName[] }>;

export type HintName = keyof typeof hints;
