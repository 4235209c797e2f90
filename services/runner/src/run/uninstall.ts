import { cutText } from '@berth/contracts/cut-text';
import { inSpan } from '@berth/service/trace-context';
import { obstacleOf } from '../helm/explain-exit.ts';
import { uninstallArguments } from '../helm/helm-arguments.ts';
import type { TaskCluster } from '../cluster/task-cluster.ts';
import { shownText } from '../log/shown-text.ts';
import { leftUnchanged } from '../namespace/enter-namespace.ts';
import { removeNamespace } from '../namespace/remove-namespace.ts';
import { permanent, TaskFailure, transient } from '../outcome/task-failure.ts';
import { type Observed, observeRelease } from '../release/observe-release.ts';
import { adoptableRevision } from '../release/adoptable-revision.ts';
import { allEnded } from '../waiting/all-ended.ts';
import { nextAction } from './next-action.ts';
import { runHelm } from './run-helm.ts';
import type { Entering, RunContext } from './run-context.ts';

/** `helm uninstall` first, so that hooks run and objects outside of the namespace are removed, then the namespace. */
export async function uninstall(run: RunContext, entering: Entering): Promise<void> {
  const { task, log, lease, secrets, stop, deps } = run;
  const { state, cluster, is_adopted = false, is_replaced } = await entering;
  if (state === 'foreign') {
    if (task.holds_release !== false && !is_replaced) throw leftUnchanged(task);
    log.say(
      `the namespace ${task.namespace} belongs to somebody else and is left unchanged: nothing of this deployment is in it`,
    );
  }
  if (state === 'absent') log.say(`the namespace ${task.namespace} is already gone`);
  const hasBegun = cluster !== null && state === 'entered' && (await removeRelease(run, cluster, is_adopted));
  if (!task.delete_namespace) return;
  if (state !== 'absent' && state !== 'foreign') {
    // Counts as an attempt, like a start of Helm: from here on, a cancellation leaves traces.
    if (!hasBegun) await lease.beginAttempt();
    stop.throwIfAborted();
    if (is_adopted) {
      await cluster?.client.deleteOwnSecrets(task.namespace);
      log.say(`the namespace ${task.namespace} was adopted: it stays, with what is not of the release`);
    } else log.say(`deleting namespace ${task.namespace}`);
  }
  const says = (text: string) => lease.waitsFor(cutText(shownText(text, secrets.texts()), 500));
  await inSpan('remove namespace', () => removeNamespace(task, { bus: deps.bus, signal: stop, says }));
}

/** Returns whether there was a release. */
async function removeRelease(run: RunContext, cluster: TaskCluster, isAdopted: boolean): Promise<boolean> {
  const { task, folder } = run;
  // An adopted namespace stays, and so would the objects that Helm leaves in it.
  const removesAll = task.delete_namespace && !isAdopted;
  const [observed, kubeconfig] = await allEnded([
    observeRelease(cluster.client, task.namespace).catch((error: unknown) => {
      if (!(error instanceof TaskFailure) || error.kind !== 'forbidden' || !removesAll) throw error;
      run.log.say(`the release is not uninstalled: ${error.message}`);
      return null;
    }),
    folder.write('kubeconfig', cluster.kubeconfig),
  ]);
  if (observed === null) return false;
  if (isAdopted && (await isUntouched(run, cluster))) {
    run.log.say('the release was never changed by this deployment and stays as it is');
    return false;
  }
  if (nextAction({ action: 'uninstall', taskId: task.task_id }, observed) !== 'uninstall') return false;
  const title = `helm uninstall ${task.namespace}`;
  // Helm would create the hooks that forged records name.
  const isForged = observed.status === 'unreadable';
  const hooks = !isForged && task.hooks !== false;
  if (task.hooks === false) run.log.say('the hooks of the release are not run, as requested');
  if (isForged) run.log.say('the release has records that Berth did not write: its hooks are not run');
  const args = uninstallArguments(task, { kubeconfig, hooks });
  await inSpan('helm uninstall', () => runHelm(run, cluster, { title, args })).catch((error: unknown) => {
    if (isOfHook(error)) throw permanent(`${hookFailed}: ${error.message}`, error);
    if (!isOfWorkload(error, observed) || !removesAll) throw error;
    // Helm does not give the cause. It may be a fault of the cluster, so Helm gets one more attempt before it is skipped.
    if (obstacleOf(error) === 'undeletable' && task.attempt === 1) throw transient(error.message);
    run.log.say(`Helm could not uninstall the release: ${error.message}`);
    run.log.say(
      'its namespace is deleted all the same; objects of the release outside of it may be left in the cluster',
    );
  });
  return true;
}

/** Workloads must not be able to prevent the removal of a deployment. */
const isOfWorkload = (error: unknown, observed: Observed): error is TaskFailure =>
  error instanceof TaskFailure &&
  (obstacleOf(error) !== null || (error.kind === 'permanent' && observed.status === 'unreadable'));

/** Whether the adoption failed before Berth's Helm wrote anything. */
async function isUntouched({ task: { namespace } }: RunContext, { client }: TaskCluster): Promise<boolean> {
  const found = adoptableRevision(namespace, await client.allRevisions(namespace));
  return typeof found === 'object' && 'newest' in found;
}
const hookFailed =
  'A hook of the release failed; mend it, or retry the task with skip_hooks to remove the release without its hooks';

/** A hook may refuse the removal on purpose, so only an owner can decide to skip it. One that does not end has not refused. */
const isOfHook = (error: unknown): error is TaskFailure =>
  error instanceof TaskFailure &&
  error.kind === 'permanent' &&
  obstacleOf(error) === null &&
  /\bhook (pre|post)-delete\b/i.test(error.message);
