import { type Client, unwrap } from '@berth/client';
import type { Stack } from '@berth/devstack';
import { KubeConfig, KubernetesObjectApi, RbacAuthorizationV1Api } from '@kubernetes/client-node';
import { guardReleaseRecords } from './guard-release-records.ts';

const clusterRole = 'definitions-of-the-test';

/** The step of an operator for charts with CustomResourceDefinitions: creates a ClusterRole that site admins may grant. */
export async function createGrantableRole({ kubeconfigFile, cluster }: Stack): Promise<void> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfigFile);
  config.setCurrentContext(cluster);
  await guardReleaseRecords(KubernetesObjectApi.makeApiClient(config));
  await config.makeApiClient(RbacAuthorizationV1Api).createClusterRole({
    body: {
      metadata: { name: clusterRole, labels: { 'berth.dev/grantable': 'true' } },
      rules: [
        {
          apiGroups: ['apiextensions.k8s.io'],
          resources: ['customresourcedefinitions'],
          verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
        },
      ],
    },
  });
}

/** The step of a site admin: grants the ClusterRole to a kind of deployments in an env. */
export async function grantRole({ clusterRoleGrants }: Client, scope: { env_id: string; kind_id: string }) {
  unwrap(await clusterRoleGrants.create({ body: { ...scope, cluster_role: clusterRole, scope: 'Cluster' } }));
}
