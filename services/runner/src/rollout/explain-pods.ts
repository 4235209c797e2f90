import { causeOf } from '@berth/kube/causes/cause-of';
import type { ClusterClient } from '../cluster/cluster-client.ts';
import type { Pod } from '../cluster/kube-objects.ts';
import { TaskFailure } from '../outcome/task-failure.ts';

/** One line for each pod that is not ready, with the reason that Kubernetes gives. */
export const explainPods = (pods: readonly Pod[]): string[] =>
  pods.flatMap((pod) => {
    const cause = causeOf('Pod', pod);
    return cause === null ? [] : [`pod ${pod.metadata?.name ?? '?'}: ${cause.message}`];
  });

/** The lines for the pods of a namespace. Best effort: a failed list must not hide the failure that these lines explain. */
export const unreadyPods = (client: Pick<ClusterClient, 'listPods'>, namespace: string): Promise<string[]> =>
  client.listPods(namespace).then(explainPods, (error: unknown) => {
    if (error instanceof TaskFailure) return [];
    throw error;
  });
