import type { Stack } from '@berth/devstack';
import { applyRbac } from '@berth/devstack/testing/apply-rbac';
import { KubeConfig, KubernetesObjectApi } from '@kubernetes/client-node';

/** Rights that an operator grants for charts with cluster-scoped objects. */
export async function allowClusterScopedObjects({ kubeconfigFile, cluster }: Stack): Promise<void> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfigFile);
  config.setCurrentContext(cluster);
  const objects = KubernetesObjectApi.makeApiClient(config);
  await applyRbac({ postJson: (_path, body) => objects.create(body) }, 'runner-cluster-scoped');
}
