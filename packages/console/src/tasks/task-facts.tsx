import { Link } from '@tanstack/react-router';
import { nameIn, useClusters, useEnvs } from '../api/names.ts';
import type { Row } from '../api/reads.ts';
import { Copy } from '../ui/copy.tsx';
import { requestReason } from './facts/task-words.ts';

interface TaskFactsProps {
  task: Row<'deploymentTasks'>;
  deployment: Row<'deployments'> | undefined;
  /** The version of its chart, and that of the chart before. */
  version: string | undefined;
  versionBefore: string | undefined;
}

export function TaskFacts({ task, deployment, version, versionBefore }: TaskFactsProps) {
  const [clusters, envs] = [useClusters(), useEnvs()];
  const why = requestReason(task);
  const earlier = 'Upgrade' in task.operation ? task.operation.Upgrade.rollback_to_task_id : undefined;
  const move = 'Recreate' in task.operation ? task.operation.Recreate : undefined;
  return (
    <dl className="facts">
      {why !== null && (
        <>
          <dt>Requested because</dt>
          <dd>{why}</dd>
        </>
      )}
      {version !== undefined && (
        <>
          <dt>Chart</dt>
          <dd className="mono">
            {versionBefore !== undefined && versionBefore !== version && `${versionBefore} → `}
            {version}
          </dd>
        </>
      )}
      {earlier !== undefined && (
        <>
          <dt>Returns to</dt>
          <dd>
            <Link to="/tasks/$id" params={{ id: earlier }}>
              task {earlier.slice(0, 8)}
            </Link>
          </dd>
        </>
      )}
      {move && (
        <>
          <dt>From</dt>
          <dd>
            <code>{move.old_namespace}</code> on {nameIn(clusters, move.old_cluster_id)}
          </dd>
          <dt>To</dt>
          <dd>
            <code>{move.new_namespace}</code> on {nameIn(clusters, move.new_cluster_id)}
          </dd>
        </>
      )}
      <dt>Cluster</dt>
      <dd>
        <Link to="/clusters/$id" params={{ id: task.cluster_id }}>
          {nameIn(clusters, task.cluster_id)}
        </Link>
      </dd>
      {deployment && (
        <>
          <dt>Env</dt>
          <dd>
            <Link to="/envs/$id/{-$tab}" params={{ id: deployment.env_id, tab: undefined }}>
              {nameIn(envs, deployment.env_id)}
            </Link>
          </dd>
          <dt>Namespace</dt>
          <dd>
            <code>{deployment.namespace}</code>
          </dd>
        </>
      )}
      <dt>Attempts</dt>
      <dd>{task.attempts}</dd>
      <dt>Id</dt>
      <dd>
        <code title={task.id}>{task.id.slice(0, 8)}</code> <Copy text={task.id} what="the id of the task" />
      </dd>
    </dl>
  );
}
