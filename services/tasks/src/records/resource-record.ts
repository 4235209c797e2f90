import { Id, JsonObject, Timestamp } from '@berth/contracts/fields/fields';
import { type DeploymentResource, SyncStatus } from '@berth/contracts/resources/deployments/deployment-resources';
import { z } from 'zod';
import { Requester } from './requester.ts';

/** The request that last changed a resource, recorded in the tasks that follow from the change. */
const ResourceOrigin = z.strictObject({
  acting_user_id: Id.nullable(),
  acting_deployment_id: Id.nullable(),
  requester: Requester.nullable(),
  request_id: z.string().nullable(),
});

/** A resource with the columns that only the engine needs. */
export const ResourceRecord = z.object({
  id: Id,
  created_at: Timestamp,
  type_id: Id,
  /** The env of the managing deployment; kept after that deployment is deleted. */
  env_id: Id,
  deployment_id: Id.nullable(),
  name: z.string(),
  is_live: z.boolean(),
  /** The props, without the sealed ones. */
  props: JsonObject,
  sealed_names: z.array(z.string()),
  key_id: z.string().nullable(),
  wrapped_key: z.instanceof(Buffer).nullable(),
  sealed_props: z.instanceof(Buffer).nullable(),
  sync_status: SyncStatus,
  sync_reason: z.string().nullable(),
  revision: z.number().int(),
  known: z.enum(['no', 'maybe', 'yes']),
  attempts: z.number().int(),
  fence: z.number().int().nullable(),
  is_outdated: z.boolean(),
  is_slow: z.boolean(),
  origin: ResourceOrigin.nullable(),
  /** Inputs that its type now marks as sensitive: their values are hidden even if they were stored unsealed. */
  sensitive: z.array(z.string()),
});
export type ResourceRecord = z.infer<typeof ResourceRecord>;

/** Props as they are stored. */
export type SealedProps = Pick<ResourceRecord, 'props' | 'sealed_names' | 'key_id' | 'wrapped_key' | 'sealed_props'>;

/** The public fields of a resource. */
export const publicResource = (record: ResourceRecord): DeploymentResource => {
  const {
    id,
    created_at,
    type_id,
    deployment_id,
    name,
    is_live: exists,
    props,
    sync_status,
    sync_reason,
    revision,
  } = record;
  const shown = Object.entries(props).filter(([input]) => !record.sensitive.includes(input));
  return {
    id,
    created_at,
    type_id,
    deployment_id,
    name,
    exists,
    props: Object.fromEntries(shown),
    sync_status,
    sync_reason,
    revision,
  };
};
