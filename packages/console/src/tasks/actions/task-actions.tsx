import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { type Permission, useMay } from '../../api/me.ts';
import { type One, pageOf, type Row } from '../../api/reads.ts';
import { runOf } from '../../deployments/tabs/run-of.ts';
import { CancelDialog } from './cancel-dialog.tsx';
import { RetryDialog } from './retry-dialog.tsx';
import { RollbackDialog } from './rollback-dialog.tsx';

interface TaskActionsProps {
  task: Row<'deploymentTasks'>;
  /** What the task does, and to what. */
  words: string;
  /** The name of its deployment. */
  name: string;
  /** Undefined if it was deleted. */
  deployment: One<Row<'deployments'>> | undefined;
  versionOf: (chartId: string) => string | undefined;
}

/** What can be done about a task in its state, as far as the rules allow the viewer. */
export function TaskActions({ task, words, name, deployment, versionOf }: TaskActionsProps) {
  const may = useMay();
  const [asked, setAsked] = useState<'cancel' | 'retry' | 'rollback' | null>(null);
  const close = () => setAsked(null);
  const active = useQuery(
    pageOf('deploymentTasks', {
      deployment_id: task.deployment_id,
      active_only: true,
      show_future: false,
      per_page: 10,
    }),
  );
  const running = active.data?.items.find(({ id, status }) => id !== task.id && status === 'Started');
  const row = deployment?.row;
  const scope = { env_id: null, ...row, ...task, requester: null };
  const isOver = task.finished_at !== null;
  const isRetryable = task.status === 'Failed' || task.status === 'Canceled';
  const isEarlierRun =
    row !== undefined && task.status === 'Done' && runOf(task) !== null && row.revision_id !== task.id;

  return (
    <>
      {!isOver && (
        <Offered
          permission={may('deploymentTasks', 'cancel', scope)}
          verb="Cancel"
          onPress={() => setAsked('cancel')}
        />
      )}
      {isRetryable && (
        <Offered
          permission={may('deploymentTasks', 'retry', scope)}
          verb="Retry"
          isPrimary
          onPress={() => setAsked('retry')}
        />
      )}
      {isEarlierRun &&
        (row.enabled ? (
          <Offered
            permission={may('deploymentTasks', 'rollback', row)}
            verb="Roll back to this"
            onPress={() => setAsked('rollback')}
          />
        ) : (
          <span className="meta">Enable the deployment to roll back to this</span>
        ))}
      {row?.revision_id === task.id && <span className="meta">This is what runs now</span>}
      {asked === 'cancel' && <CancelDialog task={task} words={words} onClose={close} />}
      {asked === 'retry' && (
        <RetryDialog
          task={task}
          words={words}
          running={running}
          asOwner={may('deploymentTasks', 'retry', scope, { stricter: true })}
          onClose={close}
        />
      )}
      {asked === 'rollback' && deployment && (
        <RollbackDialog
          task={task}
          deployment={deployment}
          name={name}
          versionOf={versionOf}
          running={running}
          onClose={close}
        />
      )}
    </>
  );
}

interface OfferedProps {
  permission: Permission;
  verb: string;
  onPress: () => void;
  isPrimary?: boolean;
}

function Offered({ permission, verb, onPress, isPrimary = false }: OfferedProps) {
  if (!permission.allowed) return <span className="meta">{`${verb}: for ${permission.needs}`}</span>;
  return (
    <Button className={isPrimary ? 'button primary' : 'button'} onPress={onPress}>
      {verb} …
    </Button>
  );
}
