import type { Bus } from '@berth/bus/bus';
import { implement } from '@berth/bus/rpc/implement';
import { deploymentNamespaces } from '@berth/contracts/resources/clusters/deployment-namespaces';
import type { KubeAccess } from '@berth/kube/kube-access';
import type { KubeApi } from '@berth/kube/kube-api';
import { deployerRoleObject } from '../../../cluster-sync/src/access/deployer-account.ts';
import { createPrepareCluster } from '../../../cluster-sync/src/access/prepare-cluster.ts';
import { enterNamespace } from '../../../cluster-sync/src/entering/enter-namespace.ts';
import { removeNamespace } from '../../../cluster-sync/src/entering/remove-namespace.ts';
import type { PodSecurityLevel } from '../../../cluster-sync/src/namespaces/pod-security.ts';
import type { NamespaceRecord } from '../../../cluster-sync/src/namespaces/namespace-record.ts';
import type { NamespaceName } from '../../../cluster-sync/src/namespaces/namespace-repository.ts';
import type { FakeTasks } from './fake-tasks.ts';

export type { PodSecurityLevel };

const deployersNamespace = 'berth-deployers';

/** What deployments may do in a cluster, as cluster-sync writes it there. */
export const deployerRole = () => deployerRoleObject(deployersNamespace);

interface FakeClusterSync {
  readonly api: KubeApi;
  readonly access: KubeAccess;
  readonly tasks: FakeTasks;
  readonly podSecurity: PodSecurityLevel;
  /** The kubeconfig to issue for a namespace instead of that of the account, unless null. */
  kubeconfig(namespace: string): string | null;
  /** Namespaces that their deployments leave for another env. */
  readonly leaving: ReadonlySet<string>;
}

/** Lets claims into namespaces as cluster-sync does, with its own code, as an administrator, and with records in memory. */
export function serveNamespaces(
  bus: Bus,
  { api, access, tasks, podSecurity, kubeconfig, leaving }: FakeClusterSync,
): void {
  const deps = {
    namespaceRepository: recordsInMemory(),
    accountRepository: { use: async () => false, usedAt: async () => 'now', remove: async () => undefined },
    bindingRepository: {
      recordBrief: () => Promise.reject(new Error('no plan adopts here')),
      grantedTo: async () => [],
      withdrawFrom: async () => ({ rowCount: 0 }) as never,
    },
    bindGrants: async () => ({ clusterRoles: [], refused: [], podSecurity: null }),
    prepareCluster: createPrepareCluster(deployersNamespace),
    deployersNamespace,
    sharedAccount: { namespace: 'berth-system', name: 'berth-runner' },
    sharesAccount: () => false,
    podSecurity,
    accessSeconds: 3_600,
  };
  const placeOf = (claim: { task_id: string; fence: number }) => ({
    claim: tasks.held(claim),
    providerId: 'test:one',
    connection: { api, access, token: null, revision: '' },
    isOfOtherEnv: false,
  });

  bus.serve(
    implement(deploymentNamespaces, {
      enter: async ({ body: { needed_seconds, ...claim } }, { signal }) => {
        const confirm = async () => tasks.held(claim);
        const entered = await enterNamespace(deps, placeOf(claim), { ...claim, needed_seconds, confirm, signal });
        const { namespace } = tasks.held(claim);
        const given = kubeconfig(namespace);
        const answer = { ...entered, is_of_other_env: leaving.has(namespace) };
        return given === null || !entered.access
          ? answer
          : { ...answer, access: { ...entered.access, kubeconfig: given } };
      },
      remove: async ({ body: claim }, { signal }) => removeNamespace(deps, placeOf(claim), { ...claim, signal }),
    }),
  );
}

function recordsInMemory() {
  const records = new Map<string, NamespaceRecord>();
  const put = async ({ name }: NamespaceName, record: NamespaceRecord) => {
    records.set(name, record);
    return record;
  };
  return {
    find: async ({ name }: NamespaceName) => records.get(name) ?? null,
    insert: put,
    replace: async (at: NamespaceName, read: NamespaceRecord, next: NamespaceRecord) =>
      records.get(at.name) === read ? put(at, next) : null,
    remove: async ({ name }: NamespaceName) => void records.delete(name),
    isIn: async (_: string, deploymentId: string) =>
      [...records.values()].some(({ deployment_id }) => deployment_id === deploymentId),
  };
}
