import type { Fact, FactKind } from '@berth/contracts/resources/deployments/why';
import type { DeploymentTask } from '@berth/contracts/resources/tasks/deployment-tasks';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import { isResting } from './resting-reason.ts';

export interface Explained {
  deployment: Pick<
    DeploymentRecord,
    'id' | 'name' | 'state' | 'enabled' | 'deleting' | 'reason' | 'health' | 'cluster_id' | 'installed_cluster_id'
  >;
  /** The task that ended last, of those that change a release. */
  last: (Pick<DeploymentTask, 'id'> & { ended: 'Done' | 'Failed' | 'Canceled'; finished_at: string | null }) | null;
  /** The facts of the first open task. */
  ofTask: readonly Fact[];
}

/** The facts that status, health and reason of a deployment are made of, in the order of `shown-reason.ts`: tasks, then workload. */
export const factsOfDeployment = ({ deployment, last, ofTask }: Explained): Fact[] => [
  ...deletion(deployment),
  ...ofReason(deployment, last),
  ...ofTask,
  ...ofWorkload(deployment),
];

const about = ({ id, name }: Explained['deployment']) => ({ kind: 'deployment', id, name });

const deletion = (deployment: Explained['deployment']): Fact[] =>
  deployment.deleting
    ? [{ kind: 'deletion', object: about(deployment), since: null, until: null, message: 'it is being deleted' }]
    : [];

/** The words are those that were decided with the state. While a task runs, they are its own and stand among its facts. */
function ofReason(deployment: Explained['deployment'], last: Explained['last']): Fact[] {
  const { reason, state } = deployment;
  if (reason === null || !(isResting(deployment) || state === 'Error')) return [];
  const since = last?.finished_at ?? null;
  const kind = kindOf(deployment, last);
  const isOfTask = kind === 'task_failed' || kind === 'task_canceled';
  const object = isOfTask && last ? { kind: 'deployment_task', id: last.id, name: null } : about(deployment);
  return [{ kind, object, since, until: null, message: reason }];
}

function kindOf({ state, enabled }: Explained['deployment'], last: Explained['last']): FactKind {
  if (state === 'Running') return enabled ? 'outdated' : 'not_uninstalled';
  if (state !== 'Error') return 'not_installed';
  if (last?.ended === 'Failed') return 'task_failed';
  return last?.ended === 'Canceled' ? 'task_canceled' : 'namespace_lost';
}

const workloadKinds = {
  Degraded: 'workload_degraded',
  Progressing: 'workload_progressing',
  Unknown: 'workload_unknown',
} as const;

function ofWorkload({ health, cluster_id, installed_cluster_id }: Explained['deployment']): Fact[] {
  if (health === null || health.state === 'Healthy' || health.state === 'Suspended') return [];
  const kind = workloadKinds[health.state];
  const whole = { kind, object: null, since: health.since, until: null, message: health.reason ?? health.state };
  if (health.state === 'Unknown') {
    // The cluster that it leaves may be of an env that the reader does not see.
    const isLeaving = installed_cluster_id !== null && installed_cluster_id !== cluster_id;
    return [{ ...whole, object: isLeaving ? null : { kind: 'k8s_cluster', id: cluster_id, name: null } }];
  }
  if (health.causes.length === 0) return [whole];
  return health.causes.map(({ kind: objectKind, name, cause, message, since }) => ({
    kind,
    object: { kind: objectKind, id: null, name },
    since,
    until: null,
    message: naming(cause, message),
  }));
}

/** Many messages contain their cause, such as that of a container that waits. */
const naming = (cause: string, message: string): string =>
  message.toLowerCase().includes(cause.toLowerCase()) ? message : `${cause}: ${message}`;
