import type { Bus } from '@berth/bus/bus';

/** Notifications that may be lost: their receivers also poll. */
export const taskHints = ({ hints }: Pick<Bus, 'hints'>) => ({
  /** To the runners: a task may start. */
  due: (): void => hints.send('tasks_due', 'due'),
  /** To the runner of a task: its cancellation was requested. */
  cancel: (taskId: string): void => hints.send('task_cancel', taskId),
  /** To the readers of a log: it has new lines, or has ended. */
  log: (taskId: string): void => hints.send('task_log', taskId),
});
