import { LRUCache } from 'lru-cache';
import { singleFlights } from '@berth/service/waiting/single-flight';
import type { Bus } from '@berth/bus/bus';
import { clusterAccess } from '@berth/contracts/resources/clusters/cluster-access';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import { kubeAccessOf } from '@berth/kube/kube-access';
import { type KubeApi, openKubeApi } from '@berth/kube/kube-api';
import { parseKubeconfig } from '@berth/kube/kubeconfig';
import { permanent } from '../outcome/task-failure.ts';

const maxClusters = 100;
/** cluster-sync forwards only what its operator allows, and never files. */
const allowed = new Set(['insecure-skip-tls-verify', 'proxy-url'] as const);

/** Access to one cluster, with open connections. */
export interface ClusterAccess {
  kubeconfig: string;
  /** Texts to redact from every log line. */
  credentials: string[];
  api: KubeApi;
  issuedAt: number;
  expiresAt: number;
}

type Claim = Pick<ClaimedTask, 'cluster_id' | 'task_id' | 'fence'>;

export type AccessCache = ReturnType<typeof createAccessCache>;

/** Caches access that cluster-sync issues while enough of its lifetime is left. */
export function createAccessCache({ bus }: { bus: Pick<Bus, 'call'> }) {
  const cache = new LRUCache<string, ClusterAccess>({ max: maxClusters });
  /** Tasks that start together share one request. */
  const requests = singleFlights<ClusterAccess>();

  async function issue({ cluster_id: clusterId, task_id, fence }: Claim): Promise<ClusterAccess> {
    const { kubeconfig, expires_at } = await bus.call(
      clusterAccess.operations.issue,
      { body: { task_id, fence } },
      { deadlineMs: 10_000 },
    );
    const access = openAccess(kubeconfig, Date.parse(expires_at) - Date.now());
    // Another run may still use the oldest, so do not dispose of it. Idle connections close by themselves.
    cache.set(clusterId, access);
    return access;
  }

  function issueOnce(claim: Claim): Promise<ClusterAccess> {
    const { cluster_id } = claim;
    const shared = requests.underWay(cluster_id);
    // The request of another task fails when that task's claim is over.
    if (shared) return shared.catch(() => issue(claim));
    return requests.run(cluster_id, () => issue(claim));
  }

  return {
    /** Access to the cluster of a claimed task that lasts for `neededMs`, if the cluster grants such a lifetime. */
    async of(claim: Claim, neededMs: number): Promise<ClusterAccess> {
      const cached = cache.get(claim.cluster_id);
      const now = performance.now();
      if (!cached || !isGoodFor(cached, neededMs, now)) return issueOnce(claim);
      // Renewed early, so that hardly any task waits for it.
      if (cached.expiresAt - now < (cached.expiresAt - cached.issuedAt) / 2) {
        issueOnce(claim).catch(() => undefined);
      }
      return cached;
    },
    /** Drops access that the cluster may have withdrawn; newer access stays. */
    forget(clusterId: string, access: ClusterAccess): void {
      if (cache.get(clusterId) === access) cache.delete(clusterId);
    },
    [Symbol.dispose](): void {
      for (const { api } of cache.values()) api[Symbol.dispose]();
      cache.clear();
    },
  };
}

function openAccess(kubeconfig: string, lifetimeMs: number): ClusterAccess {
  const parsed = parseKubeconfig(kubeconfig);
  const result = kubeAccessOf(parsed, parsed.contexts[0]?.name ?? '', allowed);
  if ('refused' in result) throw permanent(`The access to the cluster cannot be used: ${result.refused}`);
  const { access } = result;
  const issuedAt = performance.now();
  return {
    kubeconfig,
    credentials: [access.token, access.certificate?.key, access.proxyUrl && new URL(access.proxyUrl).password].filter(
      (text) => typeof text === 'string',
    ),
    api: openKubeApi(access, { userAgent: 'berth-runner' }),
    issuedAt,
    // On the monotonic clock: the wall clock may jump while the access is cached.
    expiresAt: issuedAt + lifetimeMs,
  };
}

/** Access whose lifetime is shorter than needed is used for its first half. */
const isGoodFor = (
  { expiresAt, issuedAt }: Pick<ClusterAccess, 'expiresAt' | 'issuedAt'>,
  neededMs: number,
  now: number,
): boolean => expiresAt - now > Math.min(neededMs, (expiresAt - issuedAt) / 2);
