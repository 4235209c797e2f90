import type { Bus } from '@berth/shared/bus/bus';
import { serviceCreds } from '@berth/shared/contracts/kubernetes-names';
import { deploymentCredentials } from '@berth/shared/contracts/resources/deployment-credentials';
import type { ClaimedTask } from '@berth/shared/contracts/resources/runner-tasks';
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

/** cluster-sync refreshes it long before. */
const leastMs = 5 * 60_000;

/** Before the namespace is made there is nothing to read. */
export const readCredentials = (
  { is_first, namespace }: Pick<ClaimedTask, 'is_first' | 'namespace'>,
  cluster: Pick<ClusterClient, 'readSecret'>,
): Promise<Secret | null> => (is_first ? Promise.resolve(null) : cluster.readSecret(namespace, serviceCreds));

/**
 * Makes sure that `service-creds` is in the namespace before the pods that mount it. cluster-sync writes it: no token
 * passes this process but one that the namespace shows anyway, and that is redacted, because a template can print it.
 */
export async function ensureCredentials(
  { task, log, secrets, deps }: Run,
  { cluster, found }: { cluster: Pick<ClusterClient, 'readSecret'>; found: Secret | null },
): Promise<void> {
  if (isGood(found, Date.now())) return hide(found, secrets);

  const { task_id, fence } = task;
  const { reason } = await deps.bus.call(
    deploymentCredentials.operations.write,
    { body: { task_id, fence } },
    { deadlineMs: 15_000 },
  );
  if (reason !== null) return log.say(`the namespace has no ${serviceCreds}: ${reason}`);
  hide(await cluster.readSecret(task.namespace, serviceCreds), secrets);
}

const textOf = (secret: Secret | null, key: string): string =>
  Buffer.from(secret?.data?.[key] ?? '', 'base64').toString();

function hide(secret: Secret | null, secrets: Run['secrets']): void {
  secrets.add([textOf(secret, 'access_token')]);
}

/** Whether it lasts: whether it is genuine, cluster-sync watches. */
export const isGood = (secret: Secret | null, now: number): boolean =>
  textOf(secret, 'access_token') !== '' &&
  textOf(secret, 'server_url') !== '' &&
  Date.parse(textOf(secret, 'expires_at')) - now > leastMs;
