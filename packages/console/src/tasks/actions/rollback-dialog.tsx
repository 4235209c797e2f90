import { unwrap } from '@berth/client';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { berth } from '../../api/berth.ts';
import type { One, Row } from '../../api/reads.ts';
import { runOf } from '../../deployments/tabs/run-of.ts';
import { Ago } from '../../ui/age.tsx';
import { Confirm } from '../../ui/page/dialog.tsx';
import { deltaOf } from '../facts/input-changes.ts';
import { Supersede } from './retry-dialog.tsx';

interface RollbackDialogProps {
  task: Row<'deploymentTasks'>;
  deployment: One<Row<'deployments'>>;
  name: string;
  versionOf: (chartId: string) => string | undefined;
  running: Row<'deploymentTasks'> | undefined;
  onClose: () => void;
}

/** Says what a rollback changes. It is refused if the deployment has changed since it was read. */
export function RollbackDialog({ task, deployment, name, versionOf, running, onClose }: RollbackDialogProps) {
  const navigate = useNavigate();
  const [isSuperseding, setIsSuperseding] = useState(false);
  // The dialog names the differences from this state, so a rollback of a later one is refused.
  const [{ row, etag }] = useState(deployment);
  const run = runOf(task);
  const rollBack = async () => {
    const query = isSuperseding ? { supersede: true } : {};
    const options = etag === null ? {} : { ifMatch: etag };
    const request = { id: row.id, query, body: { task_id: task.id } };
    const { id } = unwrap(await berth.deploymentTasks.rollback(request, options));
    void navigate({ to: '/tasks/$id', params: { id } });
  };
  return (
    <Confirm title={`Roll back ${name}`} action="Roll back" isOpen onClose={onClose} onConfirm={rollBack}>
      <p>
        A new task makes chart, inputs and override those of this run, which ended{' '}
        <Ago time={task.finished_at ?? task.created_at} />. Name, cluster and place stay.
      </p>
      {run && (
        <ul className="will-change">
          <li>
            Chart:{' '}
            {run.helm_chart_id === row.helm_chart_id
              ? 'the same'
              : `${versionOf(row.helm_chart_id) ?? 'the present one'} becomes ${versionOf(run.helm_chart_id) ?? 'an earlier one'}`}
          </li>
          <li>Inputs: {listed(Object.keys(deltaOf(row.config, run.config_inputs)))}</li>
          <li>Override: {listed(Object.keys(deltaOf(row.values_override, run.values_override)))}</li>
        </ul>
      )}
      {running && <Supersede isSelected={isSuperseding} onChange={setIsSuperseding} />}
    </Confirm>
  );
}

const most = 8;

function listed(paths: string[]): string {
  if (paths.length === 0) return 'the same';
  const more = paths.length - most;
  return `${paths.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''} ${paths.length === 1 ? 'changes' : 'change'}`;
}
