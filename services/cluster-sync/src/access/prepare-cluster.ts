import { managedBy } from '@berth/contracts/fields/kubernetes-names';
import { AppError } from '@berth/contracts/errors';
import type { KubeApi } from '@berth/kube/kube-api';
import { KubeError, nullIfExists, nullIfMissing } from '@berth/kube/kube-error';
import { z } from 'zod';
import { deployerRoleName, deployerRoleObject, deployersNamespaceObject, paths } from './deployer-account.ts';

const Labelled = z.object({
  metadata: z.object({ labels: z.record(z.string(), z.string()).nullish(), deletionTimestamp: z.string().nullish() }),
});
const deadlineMs = 5_000;
type Api = Pick<KubeApi, 'getJson' | 'postJson'>;

/** Prepares a cluster for its first deployment: creates the namespace of the accounts, and their cluster role. */
export interface PrepareCluster {
  (api: Api): Promise<void>;
  /** Makes the next call check again, because something is missing after all. */
  forget(api: Api): void;
}

/** Checks each connection once. Creates missing objects if cluster-sync has the permission; otherwise an operator has to. */
export function createPrepareCluster(namespace: string): PrepareCluster {
  const prepared = new WeakMap<Api, Promise<void>>();

  async function prepare(api: Api): Promise<void> {
    // Other requests wait for it too, so it must not end with the request that began it.
    const signal = AbortSignal.timeout(2 * deadlineMs);
    await Promise.all([
      ensure(`${paths.namespaces}/${namespace}`, paths.namespaces, deployersNamespaceObject(namespace)),
      ensure(`${paths.clusterRoles}/${deployerRoleName(namespace)}`, paths.clusterRoles, deployerRoleObject(namespace)),
    ]);

    async function ensure(path: string, folder: string, object: object & { kind: string; metadata: { name: string } }) {
      const call = { signal, deadlineMs };
      const what = `${object.kind} ${object.metadata.name}`;
      const found = await nullIfMissing(api.getJson(path, call));
      if (found !== null) return refuseUnfit(what, Labelled.parse(found));
      await nullIfExists(api.postJson(folder, object, call)).catch((error: unknown) => {
        if (!(error instanceof KubeError) || error.status !== 403) throw error;
        const words = `The cluster has no ${what}, and cluster-sync may not create it; apply deploy/rbac/deployer.yaml`;
        throw new AppError('unavailable', words, { cause: error });
      });
    }
  }

  const prepareOnce = (api: Api) => {
    let underWay = prepared.get(api);
    if (!underWay) {
      underWay = prepare(api);
      prepared.set(api, underWay);
      underWay.catch(() => prepared.delete(api));
    }
    return underWay;
  };
  return Object.assign(prepareOnce, { forget: (api: Api) => void prepared.delete(api) });
}

/** A deployment that owned this namespace would own the accounts of all deployments. */
function refuseUnfit(what: string, { metadata }: z.infer<typeof Labelled>): void {
  if (metadata.labels?.[managedBy.label] === managedBy.value)
    throw new AppError(
      'unavailable',
      `The ${what} is that of a deployment and holds no accounts; remove it from the cluster`,
    );
  if (metadata.deletionTimestamp) throw new AppError('unavailable', `The ${what} of the cluster is being deleted`);
}
