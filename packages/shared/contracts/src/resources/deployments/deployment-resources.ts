import { z } from 'zod';
import { membersOfEnv } from '../../access/readers.ts';
import { lifecycleRole, signedIn } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { GivenTime, Id, Json, Name, Timestamp } from '../../fields/fields.ts';
import { jsonWithin } from '../../fields/json-bytes.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';

export const SyncStatus = z.enum(['Creating', 'Updating', 'Deleting', 'Ready', 'Error']);
export type SyncStatus = z.infer<typeof SyncStatus>;

export const DeploymentResource = z.strictObject({
  id: Id,
  created_at: Timestamp,
  type_id: Id,
  deployment_id: Id.nullable(),
  name: z.string(),
  exists: z.boolean(),
  props: Json,
  sync_status: SyncStatus,
  sync_reason: z.string().nullable(),
  /** Raised by each change of name or props. Answers of the previous version lack it. */
  revision: z.number().int().optional(),
});
export type DeploymentResource = z.infer<typeof DeploymentResource>;

export const maxPropsBytes = 256 * 1024;
const Props = jsonWithin(maxPropsBytes);

/** `id`, `created_at` and `sync_status` are accepted only from the managing deployment. */
export const NewDeploymentResource = z.strictObject({
  id: Id.optional(),
  created_at: GivenTime.optional(),
  type_id: Id,
  deployment_id: Id,
  name: Name,
  props: Props,
  sync_status: SyncStatus.optional(),
});
export type NewDeploymentResource = z.infer<typeof NewDeploymentResource>;

export const DeploymentResourceChanges = z.strictObject({ name: Name.optional(), props: Props.optional() });
export type DeploymentResourceChanges = z.infer<typeof DeploymentResourceChanges>;

export const deploymentResources = resource('deployment_resources', {
  owner: 'tasks',
  singular: 'deployment resource',
  // Without sensitive props, not even their hashes: the revision stands for them.
  etag: ['name', 'props', 'revision'],
  state: { row: DeploymentResource, readers: membersOfEnv, consumers: [] },
  operations: {
    list: operation({
      http: 'GET /deployment-resources',
      summary: 'List deployment resources',
      allow: signedIn,
      query: listQuery({
        filters: { type_id: filter.id, env_id: filter.id, deployment_id: filter.nullableId },
        sort: ['created_at', 'name', 'sync_status'],
      }),
      response: pageOf(DeploymentResource),
    }),
    create: operation({
      http: 'POST /deployment-resources',
      summary: 'Create a deployment resource',
      allow: lifecycleRole,
      conflicts:
        'the type has a resource of that name, the managing deployment is disabled, being deleted or at its limit, or the id is taken',
      body: NewDeploymentResource,
      response: DeploymentResource,
    }),
    get: operation({
      http: 'GET /deployment-resources/:id',
      summary: 'Read a deployment resource',
      allow: signedIn,
      response: DeploymentResource,
    }),
    update: operation({
      http: 'PUT /deployment-resources/:id',
      summary: 'Change a deployment resource',
      allow: lifecycleRole,
      mayChange: ['deployment_tasks'],
      conflicts:
        'the type has a resource of that name, has no such operation, or the resource is being deleted, was deleted or lost its managing deployment',
      body: DeploymentResourceChanges,
      response: DeploymentResource,
    }),
    delete: operation({
      http: 'DELETE /deployment-resources/:id',
      summary: 'Delete a deployment resource',
      allow: lifecycleRole,
      conflicts: 'enabled deployments use it, its type has no such operation, or it was deleted already',
      response: z.null(),
    }),
  },
});
