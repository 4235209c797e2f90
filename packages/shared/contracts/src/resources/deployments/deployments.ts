import { z } from 'zod';
import { membersOfEnv } from '../../access/readers.ts';
import { type KindScope, maintainer, owner, signedIn } from '../../access/rules.ts';
import { operation, resource, stricter } from '../../definition/contract.ts';
import { differsFrom } from '../../definition/differs-from.ts';
import { ConfigInputs, ValuesOverride } from './deployment-inputs.ts';
import { DeploymentHealth, HealthState } from './deployment-health.ts';
import { DeploymentName, Id, JsonObject, Timestamp, text } from '../../fields/fields.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';
import { K8sEventPage, K8sEventQuery } from '../clusters/k8s-events.ts';
import { Why } from './why.ts';
import { ReportedStatus } from './reported-status.ts';

export const DeploymentStatus = z.enum([
  'Unknown',
  'Installing',
  'Renaming',
  'Upgrading',
  'Running',
  'Error',
  'Uninstalling',
  'Uninstalled',
  'Deleting',
]);
export type DeploymentStatus = z.infer<typeof DeploymentStatus>;

export const Deployment = z.strictObject({
  id: Id,
  created_at: Timestamp,
  /** Empty if the chart allows one instance per cluster. */
  name: z.string(),
  kind_id: Id,
  /** The env of its cluster. */
  env_id: Id,
  cluster_id: Id,
  /** Computed once from kind and name; also the name of the Helm release. */
  namespace: z.string(),
  enabled: z.boolean(),
  status: DeploymentStatus,
  description_md: z.string().nullable(),
  /** Null only if nothing is wrong and nothing is under way; it says whether a task or the workload is meant. */
  reason: z.string().nullable(),
  /** The task that installed the present release. */
  revision_id: Id.nullable(),
  reported_status: ReportedStatus.nullable(),
  /** Null while nothing is installed. */
  health: DeploymentHealth.nullable(),
  helm_chart_id: Id,
  config: JsonObject,
  values_override: JsonObject.nullable(),
});
export type Deployment = z.infer<typeof Deployment>;

/** The published fields of a deployment, without the large ones. */
export const PublishedDeployment = Deployment.omit({
  config: true,
  values_override: true,
  description_md: true,
  health: true,
});
export type PublishedDeployment = z.infer<typeof PublishedDeployment>;

const Description = text(0, 64 * 1024);

export const NewDeployment = z.strictObject({
  name: DeploymentName.default(''),
  kind_id: Id,
  cluster_id: Id,
  helm_chart_id: Id,
  config: ConfigInputs,
  values_override: ValuesOverride,
  adopt: z.boolean().optional().meta({
    description:
      'Take over the Helm release with the name of the namespace that exists there already, together with the namespace, instead of installing a new one',
  }),
});
export type NewDeployment = z.infer<typeof NewDeployment>;

export const DeploymentChanges = z.strictObject({
  name: DeploymentName.optional(),
  cluster_id: Id.optional(),
  helm_chart_id: Id.optional(),
  config: ConfigInputs.optional(),
  values_override: ValuesOverride.optional(),
  enabled: z.boolean().optional(),
  description_md: Description.nullable().optional(),
});
export type DeploymentChanges = z.infer<typeof DeploymentChanges>;

/** For requests that queue a deploy. Optional rather than false by default: an `Idempotency-Key` compares the fields of requests. */
export const Superseding = z.strictObject({
  supersede: filter.boolean.optional().meta({
    description: 'true ends a started deploy that only waits for readiness; needs the right to cancel it',
  }),
});

const forOwners = ['name', 'cluster_id', 'enabled', 'values_override'] as const;
type ForOwners = KindScope & Pick<Deployment, (typeof forOwners)[number]>;

/** Optional for the same reason. */
const Abandoning = z.strictObject({
  abandon: filter.boolean.optional().meta({
    description:
      'true deletes the deployment at once and leaves its release on its cluster, which must be ignored: for a cluster that no longer exists',
  }),
});

/** The rule for a change and for its plan. */
export const mayChangeDeployment = {
  allow: maintainer,
  stricter: [
    stricter({
      rule: owner,
      for: 'a change of name, cluster_id, enabled or values_override',
      when: (deployment: ForOwners, { body }: { body: DeploymentChanges }) =>
        differsFrom(deployment, body, forOwners) ? deployment : null,
    }),
  ],
} as const;

export const deployments = resource('deployments', {
  owner: 'tasks',
  singular: 'deployment',
  etag: ['name', 'cluster_id', 'helm_chart_id', 'config', 'values_override', 'enabled', 'description_md'],
  state: {
    row: Deployment,
    readers: membersOfEnv,
    published: PublishedDeployment,
    consumers: ['cluster-sync', 'registry-scan'],
    event: ['status'],
  },
  operations: {
    list: operation({
      http: 'GET /deployments',
      summary: 'List deployments',
      allow: signedIn,
      query: listQuery({
        filters: {
          ids: filter.ids,
          name: filter.containing,
          kind_id: filter.id,
          cluster_id: filter.id,
          env_id: filter.id,
          helm_chart_id: filter.id,
          uses: filter.id.meta({
            description: 'whose inputs, wanted or installed, choose this deployment or a resource that it manages',
          }),
          enabled: filter.boolean,
          status: DeploymentStatus,
          health: HealthState,
          needs_attention: filter.boolean.meta({
            description:
              'status is Error, or it is enabled and health is Degraded or Unknown; false selects the others',
          }),
        },
        sort: ['created_at', 'name', 'status', 'enabled', 'health'],
      }),
      response: pageOf(Deployment),
    }),
    create: operation({
      http: 'POST /deployments',
      summary: 'Create a deployment and install it',
      conflicts:
        'the name, the namespace or the only place for its kind is taken on the cluster, or something else manages the release to adopt',
      allow: owner,
      changesAlso: ['deployment_tasks'],
      body: NewDeployment,
      response: Deployment,
      // If it adopts a release, that is compared with the chart first.
      deadlineMs: 30_000,
    }),
    get: operation({
      http: 'GET /deployments/:id',
      summary: 'Read a deployment',
      allow: signedIn,
      response: Deployment,
    }),
    why: operation({
      http: 'GET /deployments/:id/why',
      summary: 'Read the facts that status, health and reason of a deployment are made of',
      allow: signedIn,
      response: Why,
    }),
    k8s_events: operation({
      http: 'GET /deployments/:id/k8s-events',
      summary: 'List the Kubernetes events of the namespace of a deployment, newest first',
      allow: signedIn,
      conflicts: 'its cluster is ignored',
      query: K8sEventQuery,
      response: K8sEventPage,
    }),
    update: operation({
      http: 'PUT /deployments/:id',
      summary: 'Change a deployment, with the tasks that follow from it',
      conflicts:
        'the new place is taken, it is being moved or deleted, too many tasks wait, or enabled deployments use what would stop or move',
      ...mayChangeDeployment,
      mayChange: ['deployment_tasks'],
      query: Superseding,
      body: DeploymentChanges,
      response: Deployment,
    }),
    delete: operation({
      http: 'DELETE /deployments/:id',
      summary: 'Uninstall a deployment and delete it',
      conflicts: 'enabled deployments use it, or the cluster of a release to abandon is in use',
      allow: owner,
      mayChange: ['deployment_tasks'],
      query: Abandoning,
      response: z.null(),
    }),
  },
});
