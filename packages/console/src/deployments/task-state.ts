import type { DeploymentTask } from '@berth/client';
import type { StateWord } from '../ui/state.tsx';

/** The state of a task in a word: one that is for later is not waiting. */
export function taskState(
  { status, execute_at }: Pick<DeploymentTask, 'status' | 'execute_at'>,
  now = Date.now(),
): StateWord {
  switch (status) {
    case 'Done':
      return { tone: 'ok', word: 'Done' };
    case 'Failed':
      return { tone: 'bad', word: 'Failed' };
    case 'Canceled':
      return { tone: 'off', word: 'Canceled' };
    case 'Started':
      return { tone: 'busy', word: 'Running' };
    case 'Pending':
      return Date.parse(execute_at) > now ? { tone: 'off', word: 'Scheduled' } : { tone: 'busy', word: 'Waiting' };
  }
}
