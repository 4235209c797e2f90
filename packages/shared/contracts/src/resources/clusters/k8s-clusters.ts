import { z } from 'zod';
import { membersOfEnv } from '../../access/readers.ts';
import { signedIn, siteAdmin } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { DnsName, HttpUrl, Id, Name, Timestamp } from '../../fields/fields.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';

export const K8sCluster = z.strictObject({
  id: Id,
  env_id: Id.nullable(),
  provider_id: z.string(),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  name: z.string(),
  region_name: z.string(),
  is_ok: z.boolean(),
  not_ok_reason: z.string().nullable(),
  ignore: z.boolean(),
  ingress_domain: z.string().nullable(),
  ingress_class: z.string().nullable(),
  ingress_tls_secret_name: z.string().nullable(),
  metrics_url: z.string().nullable(),
  metrics_datasource_name: z.string().nullable(),
});
export type K8sCluster = z.infer<typeof K8sCluster>;

export const K8sClusterChanges = z.strictObject({
  env_id: Id.nullable().optional(),
  ignore: z.boolean().optional(),
  ingress_domain: DnsName.nullable().optional(),
  ingress_class: Name.nullable().optional(),
  ingress_tls_secret_name: Name.nullable().optional(),
  metrics_url: HttpUrl.nullable().optional(),
  metrics_datasource_name: Name.nullable().optional(),
});
export type K8sClusterChanges = z.infer<typeof K8sClusterChanges>;

export const k8sClusters = resource('k8s_clusters', {
  owner: 'cluster-sync',
  singular: 'cluster',
  etag: [
    'env_id',
    'ignore',
    'ingress_domain',
    'ingress_class',
    'ingress_tls_secret_name',
    'metrics_url',
    'metrics_datasource_name',
  ],
  state: { row: K8sCluster, readers: membersOfEnv, consumers: ['tasks'] },
  operations: {
    list: operation({
      http: 'GET /k8s-clusters',
      summary: 'List clusters',
      allow: signedIn,
      query: listQuery({
        filters: { env_id: filter.nullableId, name: filter.ignoringCase },
        sort: ['created_at', 'name', 'region_name', 'last_seen_at', 'is_ok'],
      }),
      response: pageOf(K8sCluster),
    }),
    get: operation({ http: 'GET /k8s-clusters/:id', summary: 'Read a cluster', allow: signedIn, response: K8sCluster }),
    update: operation({
      http: 'PUT /k8s-clusters/:id',
      summary: 'Change a cluster: its env, whether it is used, ingress and metrics',
      conflicts: 'another cluster has the ingress domain, or the env was changed at the same time',
      allow: siteAdmin,
      mayChange: ['k8s_resources'],
      body: K8sClusterChanges,
      response: K8sCluster,
    }),
    delete: operation({
      http: 'DELETE /k8s-clusters/:id',
      summary: 'Forget a cluster that has no deployments',
      conflicts: 'the cluster has deployments',
      allow: siteAdmin,
      changesAlso: ['k8s_resources'],
      response: z.null(),
    }),
  },
});
