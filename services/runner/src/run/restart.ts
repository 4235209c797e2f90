import type { ClusterClient } from '../cluster/cluster-client.ts';
import type { Workload } from '../cluster/kube-objects.ts';
import type { TaskCluster } from '../cluster/task-cluster.ts';
import { leftUnchanged } from '../namespace/enter-namespace.ts';
import { checkFence } from '../namespace/namespace-fence.ts';
import { permanent, transient } from '../outcome/task-failure.ts';
import { awaitReadiness } from './await-readiness.ts';
import type { Entering, RunContext } from './run-context.ts';
import { readAwaitedOfWorkload } from '../rollout/read-awaited.ts';
import { rolloutOf, whyNoRollout } from '../rollout/rollout-of.ts';

/** The annotation of `kubectl rollout restart`. */
const annotation = 'kubectl.kubernetes.io/restartedAt';

type Restart = NonNullable<RunContext['task']['restart']>;

/** Makes Kubernetes replace the pods of a workload, and waits for it. A repeat after a lost claim does not restart again. */
export async function restart(run: RunContext, entering: Entering): Promise<void> {
  const { task, log, stop } = run;
  const { restart: wanted, namespace } = task;
  if (!wanted) throw permanent('The task names nothing to restart');

  const { state, cluster } = await entering;
  if (state === 'foreign') throw leftUnchanged(task);
  if (!cluster) throw permanent(`The namespace ${namespace} is gone or being deleted`);
  const { client } = cluster;

  const workload = await readWorkload(client, namespace, wanted);
  const why = whyNoRollout(workload);
  if (why !== null) throw permanent(`${nameOf(wanted)} cannot be restarted: ${why}`);
  if (restartedAt(workload) === wanted.at) log.say(`${nameOf(wanted)} is being restarted already`);
  else {
    stop.throwIfAborted();
    await checkFence(task, client);
    await annotate(client, namespace, wanted);
    log.say(`restarting ${nameOf(wanted)}`);
  }
  if (task.wait.enabled) await waitForRollout(run, cluster, wanted);
}

const nameOf = ({ kind, name }: Restart): string => `${kind} ${name}`;

const restartedAt = ({ spec }: Workload): string | undefined => spec.template.metadata?.annotations?.[annotation];

async function readWorkload(
  client: Pick<ClusterClient, 'readWorkload'>,
  namespace: string,
  wanted: Restart,
): Promise<Workload> {
  const workload = await client.readWorkload(namespace, wanted);
  if (!workload) throw permanent(`${nameOf(wanted)} no longer exists`);
  if (workload.metadata.uid !== wanted.uid) throw permanent(`${nameOf(wanted)} has been replaced by another one since`);
  return workload;
}

async function annotate(client: ClusterClient, namespace: string, wanted: Restart): Promise<void> {
  const template = { metadata: { annotations: { [annotation]: wanted.at } } };
  // The uid makes the patch fail for any other object of the same name.
  const patch = { metadata: { uid: wanted.uid }, spec: { template } };
  if (!(await client.patchWorkload(namespace, wanted, patch))) {
    throw transient(`${nameOf(wanted)} was replaced while it was about to be restarted`);
  }
}

async function waitForRollout(run: RunContext, cluster: TaskCluster, wanted: Restart): Promise<void> {
  const { task, log } = run;
  let said = '';
  await awaitReadiness(run, cluster, {
    subject: `${nameOf(wanted)} was restarted and`,
    since: Date.now(),
    async check(reader) {
      const { isDone, hasFailed, says } = rolloutOf(wanted.kind, await readWorkload(reader, task.namespace, wanted));
      if (says !== said) log.say(says);
      said = says;
      return isDone ? { is: 'ready' } : { is: hasFailed ? 'failed' : 'waiting', says };
    },
    readAwaited: (reader) => readAwaitedOfWorkload(reader, task.namespace, wanted),
  });
}
