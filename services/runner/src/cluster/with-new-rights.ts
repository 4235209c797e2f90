import { setTimeout as delay } from 'node:timers/promises';
import type { KubeApi, KubeCall } from '@berth/kube/kube-api';
import { KubeError } from '@berth/kube/kube-error';

const knownWithinMs = 5_000;
const againMs = 50;

/**
 * Reads with an account whose rights are new. An API server learns of a RoleBinding a moment after its creation and answers 403
 * until then, so the first reads are repeated until one of them succeeds.
 */
export function withNewRights(api: KubeApi, withinMs = knownWithinMs): KubeApi {
  const giveUpAt = performance.now() + withinMs;
  let isKnown = false;

  async function whenKnown<T>(path: string, { signal }: KubeCall, read: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const answer = await read();
        // Every account may read other paths, such as the kinds of the cluster, so their success proves nothing.
        if (path.includes('/namespaces/')) isKnown = true;
        return answer;
      } catch (error) {
        const mayPass = error instanceof KubeError && error.status === 403 && path.includes('/namespaces/');
        if (error instanceof KubeError && error.status === 404) isKnown = true;
        if (isKnown || !mayPass || performance.now() > giveUpAt) throw error;
        await delay(againMs, undefined, { signal });
      }
    }
  }

  return {
    ...api,
    getText: (path, call) => whenKnown(path, call, () => api.getText(path, call)),
    getBytes: (path, call) => whenKnown(path, call, () => api.getBytes(path, call)),
    getJson: (path, call) => whenKnown(path, call, () => api.getJson(path, call)),
    [Symbol.dispose]: () => api[Symbol.dispose](),
  };
}
