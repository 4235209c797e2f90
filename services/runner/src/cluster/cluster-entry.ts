import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Bus } from '@berth/bus/bus';
import { deploymentNamespaces, type EnteredNamespace } from '@berth/contracts/resources/clusters/deployment-namespaces';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import { type KubeAccess, kubeAccessOf } from '@berth/kube/kube-access';
import { type KubeApi, openConnectionsTo, openKubeApi } from '@berth/kube/kube-api';
import { parseKubeconfig } from '@berth/kube/kubeconfig';
import { proxyPasswords } from '@berth/service/proxy/proxy-for';
import { permanent } from '../outcome/task-failure.ts';
import { withNewRights } from './with-new-rights.ts';

const maxClusters = 100;
/** cluster-sync forwards only what its operator allows, and never files. */
const allowed = new Set(['insecure-skip-tls-verify', 'proxy-url'] as const);

/** The access of one claim to its cluster: a token for the namespace of the deployment, used by this claim only. */
export interface ClusterAccess {
  kubeconfig: string;
  /** Texts to redact from every log line. */
  credentials: string[];
  api: KubeApi;
  /** Transition: all deployments of the cluster share the account. */
  isShared: boolean;
  /** Whoever reads the log does not see the cluster. */
  isOfOtherEnv: boolean;
}

/** The namespace of a claim, as cluster-sync found or made it. */
export interface Entered extends Omit<EnteredNamespace, 'access'> {
  /** Null if the claim may not act there. */
  access: ClusterAccess | null;
}

type Claim = Pick<ClaimedTask, 'task_id' | 'fence'>;
type Connections = ReturnType<typeof openConnectionsTo>;

/** Enters namespaces by way of cluster-sync. */
export interface ClusterEntry extends Disposable {
  enter(claim: Claim, neededMs: number): Promise<Entered>;
}

/** Claims share the connections to a cluster but not the token, which each request sets. */
export function createClusterEntry({ bus }: { bus: Pick<Bus, 'call'> }): ClusterEntry {
  // Evicted connections are not disposed of, since another run may still use them. Idle ones close by themselves.
  const connections = new LRUCache<string, Connections>({ max: maxClusters });

  function connectionsTo(access: KubeAccess): Connections {
    const { token: _, ...server } = access;
    const key = hash('sha256', JSON.stringify(server), 'base64url');
    const known = connections.get(key) ?? openConnectionsTo(access);
    connections.set(key, known);
    return known;
  }

  function open({
    access,
    state,
    is_shared_account: isShared,
    is_of_other_env: isOfOtherEnv = false,
  }: EnteredNamespace): ClusterAccess | null {
    if (access === null) return null;
    const parsed = parseKubeconfig(access.kubeconfig);
    const result = kubeAccessOf(parsed, parsed.contexts[0]?.name ?? '', allowed);
    if ('refused' in result) throw permanent(`The access to the cluster cannot be used: ${result.refused}`);
    const { token, proxyUrl } = result.access;
    const api = openKubeApi(result.access, { userAgent: 'berth-runner' }, connectionsTo(result.access));
    const urls = [result.access.server, proxyUrl].flatMap((url) => (url === undefined ? [] : [new URL(url)]));
    const addresses = isOfOtherEnv ? urls.flatMap(({ host, hostname }) => [host, hostname]) : [];
    return {
      kubeconfig: access.kubeconfig,
      credentials: [token, proxyUrl && new URL(proxyUrl).password, ...proxyPasswords(), ...addresses].filter(
        (text) => typeof text === 'string',
      ),
      api: state === 'entered' ? withNewRights(api) : api,
      isShared,
      isOfOtherEnv,
    };
  }

  return {
    async enter({ task_id, fence }, neededMs) {
      const needed_seconds = Math.min(Math.max(1, Math.ceil(neededMs / 1_000)), 86_400);
      const body = { task_id, fence, needed_seconds };
      const entered = await bus.call(deploymentNamespaces.operations.enter, { body }, { deadlineMs: 20_000 });
      return { ...entered, access: open(entered) };
    },
    [Symbol.dispose]() {
      for (const open of connections.values()) open[Symbol.dispose]();
      connections.clear();
    },
  };
}
