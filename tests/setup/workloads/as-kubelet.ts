import { waitUntil } from '@berth/client';
import {
  CoreV1Api,
  type KubeConfig,
  PatchStrategy,
  setHeaderOptions,
  type V1ContainerStatus,
  type V1PodStatus,
} from '@kubernetes/client-node';

const merging = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

export type Kubelet = ReturnType<typeof asKubelet>;

/** Writes statuses to the API server as kubelets and controllers do. The pods must be ready: simulated nodes leave those alone. */
export function asKubelet(config: KubeConfig) {
  const core = config.makeApiClient(CoreV1Api);

  const patch = (namespace: string, name: string, status: object) =>
    core.patchNamespacedPodStatus({ namespace, name, body: { status } }, merging);

  const conditions = (ready: boolean, reason?: string): V1PodStatus['conditions'] =>
    ['Ready', 'ContainersReady'].map((type) => ({
      type,
      status: ready ? 'True' : 'False',
      lastTransitionTime: new Date(),
      ...(reason !== undefined && { reason, message: 'containers with unready status: [web]' }),
    }));
  const container = (ready: boolean, fields: Partial<V1ContainerStatus>): V1ContainerStatus[] => [
    { name: 'web', image: 'web:1', imageID: '', ready, started: ready, restartCount: 0, ...fields },
  ];
  const unready = conditions(false, 'ContainersNotReady');

  return {
    untilReady: (namespace: string, name: string) =>
      waitUntil(
        async () => {
          const { status } = await core.readNamespacedPod({ namespace, name });
          return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
        },
        { what: `the pod ${name} to be ready`, withinMs: 60_000 },
      ),

    async podOf(namespace: string, labelSelector: string): Promise<string> {
      const { items } = await core.listNamespacedPod({ namespace, labelSelector });
      return items[0]?.metadata?.name ?? '';
    },

    ready: (namespace: string, name: string) =>
      patch(namespace, name, {
        phase: 'Running',
        conditions: conditions(true),
        containerStatuses: container(true, { state: { running: { startedAt: new Date() } } }),
      }),

    /** Its probe fails. */
    unready: (namespace: string, name: string) =>
      patch(namespace, name, { conditions: conditions(false, 'ContainersNotReady') }),

    crash: (namespace: string, name: string, reason = 'Error') =>
      patch(namespace, name, {
        conditions: unready,
        containerStatuses: container(false, {
          restartCount: 3,
          state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container' } },
          lastState: { terminated: { exitCode: 137, reason, startedAt: new Date(), finishedAt: new Date() } },
        }),
      }),

    /** It was moved to a node that does not have its image, which is no longer in the registry. */
    imageGone: (namespace: string, name: string) =>
      patch(namespace, name, {
        phase: 'Pending',
        conditions: unready,
        containerStatuses: container(false, {
          state: { waiting: { reason: 'ImagePullBackOff', message: 'not found' } },
        }),
      }),

    evict: (namespace: string, name: string) =>
      patch(namespace, name, {
        phase: 'Failed',
        reason: 'Evicted',
        message: 'The node was low on resource: memory.',
        conditions: unready,
      }),

    /** Like the node controller once the kubelet is silent: the pod is not ready, without a reason. */
    loseNode: (namespace: string, name: string) => {
      const [ready, containersReady] = conditions(true) ?? [];
      return patch(namespace, name, { conditions: [{ ...ready, status: 'False' }, containersReady] });
    },
  };
}
