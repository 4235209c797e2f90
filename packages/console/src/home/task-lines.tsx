import { Link } from '@tanstack/react-router';
import type { Row } from '../api/reads.ts';
import { taskState } from '../deployments/facts/task-state.ts';
import { readable } from '../tasks/facts/readable.ts';
import { useTaskNames } from '../tasks/facts/use-task-names.ts';
import { useNow, When } from '../ui/age.tsx';
import { State } from '../ui/state.tsx';

/** Tasks, each on a few lines. */
export function TaskLines({ tasks, none }: { tasks: Row<'deploymentTasks'>[]; none: string }) {
  const names = useTaskNames(tasks);
  const now = useNow();
  if (tasks.length === 0) return <p className="muted">{none}</p>;
  return (
    <ul className="panel home-lines">
      {tasks.map((task) => (
        <li key={task.id}>
          <State {...taskState(task, now)} />
          <span className="cell-name">
            <Link to="/tasks/$id" params={{ id: task.id }} data-row-link>
              {names.words(task)}
            </Link>{' '}
            <span className="meta">of {names.of(task)}</span>
          </span>
          <span className="muted">
            <When time={task.finished_at ?? task.started_at ?? task.execute_at} />
          </span>
          {task.reason !== null && <span className="why muted">{readable(task.reason)}</span>}
        </li>
      ))}
    </ul>
  );
}
