import type { Bus } from '@berth/shared/bus/bus';
import { clusterAccess } from '@berth/shared/contracts/resources/cluster-access';
import type { ClaimedTask } from '@berth/shared/contracts/resources/runner-tasks';
import { kubeAccessOf } from '@berth/kube/kube-access';
import { type KubeApi, openKubeApi } from '@berth/kube/kube-api';
import { parseKubeconfig } from '@berth/kube/kubeconfig';
import { permanent } from '../outcome/task-failure.ts';

const maxClusters = 100;

export interface ClusterHandle {
  kubeconfig: string;
  /** What no log line may show. */
  credentials: string[];
  api: KubeApi;
  issuedAt: number;
  expiresAt: number;
}

type ClaimOfCluster = Pick<ClaimedTask, 'cluster_id' | 'task_id' | 'fence'>;

export type AccessCache = ReturnType<typeof createAccessCache>;

/** Access to clusters as cluster-sync issues it, kept while it is good for long enough; connections stay open. */
export function createAccessCache({ bus }: { bus: Pick<Bus, 'call'> }) {
  const known = new Map<string, ClusterHandle>();
  /** Asked for right now: tasks that start together share one access. */
  const underWay = new Map<string, Promise<ClusterHandle>>();

  async function issue({ cluster_id: clusterId, task_id, fence }: ClaimOfCluster): Promise<ClusterHandle> {
    const { kubeconfig, expires_at } = await bus.call(
      clusterAccess.operations.issue,
      { body: { task_id, fence } },
      { deadlineMs: 10_000 },
    );
    const handle = handleOf(kubeconfig, Date.parse(expires_at) - Date.now());
    known.delete(clusterId);
    known.set(clusterId, handle);
    for (const oldest of known.keys()) {
      if (known.size <= maxClusters) break;
      // Its connections close by themselves once nobody uses them.
      known.delete(oldest);
    }
    return handle;
  }

  function issueOnce(claim: ClaimOfCluster): Promise<ClusterHandle> {
    const { cluster_id } = claim;
    const asked = underWay.get(cluster_id);
    // What another task asked for fails with the claim of that task.
    if (asked) return asked.catch(() => issue(claim));
    const asking = issue(claim).finally(() => underWay.delete(cluster_id));
    underWay.set(cluster_id, asking);
    return asking;
  }

  return {
    /** Access to the cluster of a claimed task that lasts for `neededMs`, where the cluster gives any that does. */
    async of(claim: ClaimOfCluster, neededMs: number): Promise<ClusterHandle> {
      const cached = known.get(claim.cluster_id);
      const now = performance.now();
      if (!cached || !isGoodFor(cached, neededMs, now)) return issueOnce(claim);
      // In good time, so that hardly any task has to wait for a new one.
      if (cached.expiresAt - now < (cached.expiresAt - cached.issuedAt) / 2) {
        issueOnce(claim).catch(() => undefined);
      }
      return cached;
    },
    /** The cluster may have moved, or this access may have been withdrawn; a newer one stays. */
    forget(clusterId: string, handle: ClusterHandle): void {
      if (known.get(clusterId) === handle) known.delete(clusterId);
    },
    [Symbol.dispose](): void {
      for (const { api } of known.values()) api[Symbol.dispose]();
      known.clear();
    },
  };
}

function handleOf(kubeconfig: string, lifeMs: number): ClusterHandle {
  const parsed = parseKubeconfig(kubeconfig);
  const result = kubeAccessOf(parsed, parsed.contexts[0]?.name ?? '');
  if ('refused' in result) throw permanent(`The access to the cluster is of no use: ${result.refused}`);
  const { access } = result;
  const issuedAt = performance.now();
  return {
    kubeconfig,
    credentials: [access.token, access.certificate?.key].filter((text) => typeof text === 'string'),
    api: openKubeApi(access, { userAgent: 'berth-runner' }),
    issuedAt,
    // On the clock that nobody sets: the wall clock may jump while the access lies here.
    expiresAt: issuedAt + lifeMs,
  };
}

/** Access whose whole life is below the need is used for the first half of it. */
export const isGoodFor = (
  { expiresAt, issuedAt }: Pick<ClusterHandle, 'expiresAt' | 'issuedAt'>,
  neededMs: number,
  now: number,
): boolean => expiresAt - now > Math.min(neededMs, (expiresAt - issuedAt) / 2);
