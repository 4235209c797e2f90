import type { Stack } from '@berth/devstack';
import { manifestsIn } from '@berth/devstack/testing/apply-rbac';
import { KubeConfig, RbacAuthorizationV1Api } from '@kubernetes/client-node';

/** What an operator opts in to for charts with objects outside of namespaces. */
export async function allowClusterScopedObjects({ kubeconfigFile, cluster }: Stack): Promise<void> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfigFile);
  config.setCurrentContext(cluster);
  const api = config.makeApiClient(RbacAuthorizationV1Api);
  for (const body of await manifestsIn('runner-cluster-scoped')) {
    await api.createClusterRoleBinding({ body: body as never });
  }
}
