import { z } from 'zod';
import { membersOfEnv } from '../../access/readers.ts';
import { maintainer, signedIn } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, Json, Timestamp } from '../../fields/fields.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';
import { PodLogPart, PodLogQuery, PodLogRequest } from './pod-log.ts';

export const StatusColor = z.enum(['Success', 'Danger', 'Warning', 'Primary', 'Secondary']);
export type StatusColor = z.infer<typeof StatusColor>;

export const K8sResource = z.strictObject({
  id: Id,
  last_updated_at: Timestamp,
  cluster_id: Id,
  deployment_id: Id,
  kind: z.string(),
  api_version: z.string(),
  name: z.string(),
  /** One entry per replica (Deployment, StatefulSet, DaemonSet) or pod (Job). */
  status_color: z.array(StatusColor),
  metadata: Json,
});
export type K8sResource = z.infer<typeof K8sResource>;

export const k8sResources = resource('k8s_resources', {
  owner: 'cluster-sync',
  singular: 'tracked resource',
  state: { row: K8sResource, readers: membersOfEnv, consumers: [] },
  operations: {
    list: operation({
      http: 'GET /k8s-resources',
      summary: 'List tracked resources: the objects in the namespaces of deployments',
      allow: signedIn,
      query: listQuery({
        filters: {
          cluster_id: filter.id,
          deployment_id: filter.id,
          kind: filter.ignoringCase,
          name: filter.ignoringCase,
        },
        sort: ['last_updated_at', 'kind', 'name'],
      }),
      response: pageOf(K8sResource),
    }),
    get: operation({
      http: 'GET /k8s-resources/:id',
      summary: 'Read a tracked resource',
      allow: signedIn,
      response: K8sResource,
    }),
    log: operation({
      http: 'GET /k8s-resources/:id/log',
      summary: 'Read the log of a pod as text; with follow=true until the pod ends',
      conflicts: 'the resource is not a pod, the pod has no such log, or its cluster is ignored',
      allow: maintainer,
      query: PodLogQuery,
      response: z.string(),
      produces: 'text/plain',
    }),
    // The gateway calls this repeatedly while it streams a log; the owner checks the role each time.
    log_part: operation({
      summary: 'The next part of the log of a pod',
      allow: maintainer,
      callers: ['api-gateway'],
      body: PodLogRequest,
      response: PodLogPart,
      idempotent: true,
    }),
  },
});
