import { Link } from '@tanstack/react-router';
import { nameIn, useUsers } from '../../api/names.ts';
import { When } from '../../ui/age.tsx';
import { Empty } from '../../ui/reading/problem.tsx';
import { Rows } from '../../ui/reading/rows.tsx';
import { State } from '../../ui/state.tsx';
import type { OfDeployment } from '../facts/deployment-row.ts';
import { operationWord } from '../../ui/reading/operation-word.ts';
import { taskState } from '../facts/task-state.ts';

/** All tasks of the deployment, newest first. */
export default function Tasks({ deployment }: OfDeployment) {
  const users = useUsers();
  return (
    <Rows
      label="Tasks of the deployment"
      resource="deploymentTasks"
      query={{ deployment_id: deployment.id }}
      empty={<Empty title="Nothing was done yet" />}
      columns={[
        { title: 'State', width: '120px', narrow: 'first', cell: (task) => <State {...taskState(task)} /> },
        {
          title: 'Task',
          width: 'minmax(120px, 1fr)',
          className: 'cell-name',
          narrow: 'first',
          cell: (task) => (
            <Link to="/tasks/$id" params={{ id: task.id }} data-row-link>
              {operationWord(task)}
            </Link>
          ),
        },
        {
          title: 'Why',
          narrow: 'second',
          width: 'minmax(160px, 3fr)',
          className: 'muted',
          cell: ({ reason }) => reason && <span title={reason}>{reason}</span>,
        },
        { title: 'By', width: 'minmax(96px, 1fr)', cell: ({ acting_user_id }) => nameIn(users, acting_user_id) },
        { title: 'When', width: '96px', className: 'muted', cell: ({ execute_at }) => <When time={execute_at} /> },
      ]}
    />
  );
}
