import { causeOf } from '@berth/kube/causes/cause-of';
import type { Pod } from '../cluster/kube-objects.ts';

/** One line for each pod that is not ready, with the reason that Kubernetes gives. */
export const explainPods = (pods: readonly Pod[]): string[] =>
  pods.flatMap((pod) => {
    const cause = causeOf('Pod', pod);
    return cause === null ? [] : [`pod ${pod.metadata?.name ?? '?'}: ${cause.message}`];
  });
