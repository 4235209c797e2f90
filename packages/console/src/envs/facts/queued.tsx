import type { Answer } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { Button } from 'react-aria-components/Button';
import { Icon } from '../../ui/icons.tsx';
import { Glyph } from '../../ui/state.tsx';

export interface QueuedTasks {
  /** What was changed. */
  words: string;
  ids: string[];
  count: number;
}

/** The tasks that a change has queued. */
export const queuedBy = (words: string, answer: Answer<unknown>): QueuedTasks =>
  answer.ok ? { words, ids: answer.taskIds, count: answer.taskCount } : { words, ids: [], count: 0 };

const mostShown = 5;

/** What was done, and the tasks that follow. It stays until it is dismissed. */
export function Queued({ of, envId, onDismiss }: { of: QueuedTasks; envId: string; onDismiss: () => void }) {
  const { words, ids, count } = of;
  return (
    <section className="notice busy banner" role="status" aria-label="What was done">
      <Glyph tone={count === 0 ? 'off' : 'busy'} />
      <div>
        <p>
          <strong>{words}.</strong>{' '}
          {count === 0
            ? 'No deployment is reinstalled.'
            : `${count.toLocaleString()} ${count === 1 ? 'deployment is' : 'deployments are'} being reinstalled.`}
        </p>
        {count > 0 && (
          <p className="queued-tasks">
            {ids.slice(0, mostShown).map((id, index) => (
              <Link key={id} to="/tasks/$id" params={{ id }}>
                Reinstall {count > 1 && index + 1}
              </Link>
            ))}
            {count > mostShown && (
              <Link to="/tasks" search={{ env: envId }}>
                All tasks of the env
              </Link>
            )}
          </p>
        )}
      </div>
      <Button className="button bare small" aria-label="Dismiss" onPress={onDismiss}>
        <Icon name="close" />
      </Button>
    </section>
  );
}
