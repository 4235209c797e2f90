import type { Bus } from '@berth/bus/bus';
import { managedBy, serviceCreds, upstreamCredentials } from '@berth/contracts/fields/kubernetes-names';
import { deploymentCredentials } from '@berth/contracts/resources/clusters/deployment-credentials';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import { AppError, isOutage } from '@berth/contracts/errors';
import type { ClusterClient } from '../cluster/cluster-client.ts';
import type { Secret } from '../cluster/kube-objects.ts';
import type { KnownSecrets } from '../log/known-secrets.ts';
import type { TaskLog } from '../log/task-log.ts';

interface Run {
  task: Pick<ClaimedTask, 'task_id' | 'fence' | 'namespace'>;
  log: Pick<TaskLog, 'say'>;
  secrets: Pick<KnownSecrets, 'add'>;
  deps: { bus: Pick<Bus, 'call'> };
}

/** Minimal remaining lifetime; cluster-sync refreshes the credentials long before it. */
const leastMs = 5 * 60_000;

export const readCredentials = (
  { namespace }: Pick<ClaimedTask, 'namespace'>,
  cluster: Pick<ClusterClient, 'readSecret'>,
): Promise<Secret | null> => cluster.readSecret(namespace, serviceCreds);

/** The reason if credentials could not be written, else null. */
type Written = Promise<{ reason: string | null }>;

const writeCredentials = ({ task, deps }: Pick<Run, 'task' | 'deps'>, deadlineMs: number): Written => {
  const body = { task_id: task.task_id, fence: task.fence };
  return deps.bus.call(deploymentCredentials.operations.write, { body }, { deadlineMs });
};

/**
 * Requests the credentials of a first install while its namespace is being created; cluster-sync waits a moment for that. Returns
 * null for other tasks, whose namespace mostly has them.
 */
export function writeCredentialsEarly(run: Pick<Run, 'deps'> & { task: Run['task'] & { is_first: boolean } }) {
  if (!run.task.is_first) return null;
  const early = writeCredentials(run, 2_000);
  // Retried once the namespace exists.
  early.catch(() => undefined);
  return early;
}

/**
 * Makes sure that `service-creds` is in the namespace before the pods that mount it. cluster-sync writes it, so that this process
 * does not get the token. Returns true if it was written and `hideCredentials` has to read it for redaction.
 */
export async function ensureCredentials(
  run: Run,
  { found, early }: { found: Secret | null; early: Written | null },
): Promise<boolean> {
  if (isGood(found, Date.now())) {
    hide(found, run.secrets);
    return false;
  }
  const again = () => writeCredentials(run, 15_000);
  const { reason } = await (early?.catch(again) ?? again());
  if (reason !== null) run.log.say(`the namespace has no ${serviceCreds}: ${reason}`);
  return reason === null;
}

/**
 * If the release refers to the credentials by their upstream name, has them written under that name as well. If it brings a Secret of
 * that name, Berth's own is removed first, since Helm would not take it over; returns true if there was one to remove.
 */
export async function ensureUpstreamCredentials(
  run: Run,
  cluster: Pick<ClusterClient, 'readSecret'>,
  /** Whether its objects refer to them, or bring a Secret of that name. */
  wanted: 'referred' | 'own' | null,
): Promise<boolean> {
  if (wanted === null) return false;
  const { task, log, deps } = run;
  const { write_upstream, remove_upstream } = deploymentCredentials.operations;
  const body = { task_id: task.task_id, fence: task.fence };
  const call = { deadlineMs: 15_000 };
  if (wanted === 'own') {
    const found = await cluster.readSecret(task.namespace, upstreamCredentials);
    if (found?.metadata.labels?.[managedBy.label] !== managedBy.value) return false;
    await deps.bus.call(remove_upstream, { body }, call);
    return true;
  }
  const { reason } = await deps.bus.call(write_upstream, { body }, call).catch((error: unknown) => {
    // The release can run without it; in an outage the task waits.
    if (!(error instanceof AppError) || isOutage(error)) throw error;
    return { reason: error.message };
  });
  if (reason !== null) {
    log.say(`the release refers to the Secret ${upstreamCredentials}, which was not written: ${reason}`);
    return false;
  }
  // The token may be a new one.
  await hideCredentials(run, cluster);
  return false;
}

/** After a failed deploy, the previous release needs them again. Best effort: a Secret that the deploy has created stays. */
export const restoreUpstreamCredentials = async ({ task, deps }: Pick<Run, 'task' | 'deps'>): Promise<void> => {
  const body = { task_id: task.task_id, fence: task.fence };
  const { write_upstream } = deploymentCredentials.operations;
  await deps.bus.call(write_upstream, { body }, { deadlineMs: 5_000 }).catch(() => undefined);
};

/** The token is redacted, because a template can print it. */
export async function hideCredentials(
  { task, secrets }: Pick<Run, 'task' | 'secrets'>,
  cluster: Pick<ClusterClient, 'readSecret'>,
): Promise<void> {
  hide(await cluster.readSecret(task.namespace, serviceCreds), secrets);
}

const textOf = (secret: Secret | null, key: string): string =>
  Buffer.from(secret?.data?.[key] ?? '', 'base64').toString();

function hide(secret: Secret | null, secrets: Run['secrets']): void {
  secrets.add([textOf(secret, 'access_token')]);
}

/** Whether the Secret is complete and lasts long enough. cluster-sync checks that it is genuine. */
const isGood = (secret: Secret | null, now: number): boolean =>
  textOf(secret, 'access_token') !== '' &&
  textOf(secret, 'server_url') !== '' &&
  Date.parse(textOf(secret, 'expires_at')) - now > leastMs;
