import { setTimeout as delay } from 'node:timers/promises';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import type { ClusterEntry, Entered } from '../cluster/cluster-entry.ts';
import { longestMs } from '../helm/helm-limits.ts';
import type { TaskLog } from '../log/task-log.ts';
import { permanent, type TaskFailure, transient } from '../outcome/task-failure.ts';

/** After this time the task is put back, so that it does not block others. */
const terminatingWaitMs = 15_000;
const againMs = 250;
/** For the steps around Helm. */
const besidesHelmMs = 5 * 60_000;

interface Run {
  task: ClaimedTask;
  log: Pick<TaskLog, 'say'>;
  stop: AbortSignal;
  deps: { access: Pick<ClusterEntry, 'enter'> };
}

/** Enters the namespace of the deployment; a deploy waits a moment for the deletion of an earlier one. */
export async function enterNamespace({ task, log, stop, deps }: Run): Promise<Entered> {
  const enter = () => deps.access.enter(task, longestMs(task.wait.timeout_secs) + besidesHelmMs);
  const giveUpAt = performance.now() + terminatingWaitMs;
  let entered = await enter();
  while (task.action === 'deploy' && entered.state === 'terminating') {
    if (performance.now() > giveUpAt) throw transient(`The namespace ${task.namespace} is still being deleted`);
    await delay(againMs, undefined, { signal: stop });
    entered = await enter();
  }
  if (entered.is_new) log.say(`created namespace ${task.namespace}`);
  for (const { cluster_role, scope } of entered.cluster_roles)
    log.say(`granted to its kind: the cluster role ${cluster_role}, ${scopes[scope]}`);
  for (const reason of entered.refused_grants) log.say(reason);
  if (entered.is_shared_account)
    log.say('the deployments of this cluster share an account and are not contained, until its operator ends that');
  return entered;
}

const scopes = { Namespace: 'in its namespace', Cluster: 'in the whole cluster' } as const;

type Place = Pick<ClaimedTask, 'namespace'>;

/** Only a deployment's own namespace may be changed or removed. */
export const leftUnchanged = ({ namespace }: Place): TaskFailure =>
  permanent(
    `The namespace ${namespace} does not belong to this deployment and was left unchanged; remove it by hand if it holds nothing of yours`,
  );

/** A namespace that Berth did not create for this deployment is never adopted. */
export const foreignNamespace = ({ namespace }: Place): TaskFailure =>
  permanent(
    `The namespace ${namespace} exists already and does not belong to this deployment; remove it or choose another name`,
  );
