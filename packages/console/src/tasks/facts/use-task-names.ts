import type { DeploymentTask } from '@berth/client';
import { useDeployments, useVersionsOf } from '../../api/by-ids.ts';
import { nameIn, useKinds, useUsers } from '../../api/names.ts';
import type { Row } from '../../api/reads.ts';
import { actorOf, chartOf, taskWords } from './task-words.ts';

export interface TaskNames {
  /** What it does: `Upgrade to 1.2.0`. */
  words: (task: DeploymentTask) => string;
  /** To what: `HelloWeb / checkout`. */
  of: (task: DeploymentTask) => string;
  by: (task: DeploymentTask) => string;
  deployment: (task: DeploymentTask) => Row<'deployments'> | undefined;
}

/** The names of tasks, with one read for all their deployments and one for their charts. */
export function useTaskNames(tasks: readonly DeploymentTask[]): TaskNames {
  const [kinds, users] = [useKinds(), useUsers()];
  const deployments = useDeployments(
    tasks.flatMap(({ deployment_id, acting_deployment_id }) => [deployment_id, acting_deployment_id]),
  );
  const versions = useVersionsOf(tasks.map(chartOf));
  const nameOf = (id: string) => {
    const row = deployments.get(id);
    return row === undefined ? `deployment ${id.slice(0, 8)}` : `${nameIn(kinds, row.kind_id)} / ${row.name || '—'}`;
  };
  return {
    words: (task) => taskWords(task, (id) => versions.get(id)?.image_tag),
    of: ({ deployment_id }) => nameOf(deployment_id),
    by: (task) => actorOf(task, { user: (id) => nameIn(users, id), deployment: nameOf }),
    deployment: ({ deployment_id }) => deployments.get(deployment_id),
  };
}
