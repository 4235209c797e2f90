import { z } from 'zod';
import { membersOfEnvIfAny } from '../../access/readers.ts';
import { signedIn } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, JsonObject, Timestamp } from '../../fields/fields.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';

export const DeploymentResourceType = z.strictObject({
  id: Id,
  created_at: Timestamp,
  /** Null: a global type, in every env. */
  env_id: Id.nullable(),
  deployment_kind_id: Id,
  key: z.string(),
  /** `ResourceTypeSpec` of `chart-extensions/`. */
  spec: JsonObject,
});
export type DeploymentResourceType = z.infer<typeof DeploymentResourceType>;

export const deploymentResourceTypes = resource('deployment_resource_types', {
  owner: 'tasks',
  singular: 'deployment resource type',
  state: { row: DeploymentResourceType, readers: membersOfEnvIfAny, consumers: [] },
  operations: {
    list: operation({
      http: 'GET /deployment-resource-types',
      summary: 'List the types of resources that charts define',
      allow: signedIn,
      query: listQuery({
        filters: { env_id: filter.nullableId, deployment_kind_id: filter.id, key: filter.exact },
        sort: ['created_at', 'key'],
      }),
      response: pageOf(DeploymentResourceType),
    }),
    get: operation({
      http: 'GET /deployment-resource-types/:id',
      summary: 'Read a deployment resource type',
      allow: signedIn,
      response: DeploymentResourceType,
    }),
  },
});
