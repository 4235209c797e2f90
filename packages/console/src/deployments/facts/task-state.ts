import type { DeploymentTask } from '@berth/client';
import type { StateWord } from '../../ui/state.tsx';

const ended: Partial<Record<DeploymentTask['status'], StateWord>> = {
  Done: { tone: 'ok', word: 'Done' },
  Failed: { tone: 'bad', word: 'Failed' },
  Canceled: { tone: 'off', word: 'Canceled' },
};

/** The state of a task in a word. A pending task is `Scheduled` before it is due, and `Waiting` afterwards. */
export function taskState(
  { status, execute_at }: Pick<DeploymentTask, 'status' | 'execute_at'>,
  now = Date.now(),
): StateWord {
  if (status === 'Started') return { tone: 'busy', word: 'Running' };
  const isLater = Date.parse(execute_at) > now;
  return ended[status] ?? (isLater ? { tone: 'off', word: 'Scheduled' } : { tone: 'busy', word: 'Waiting' });
}
