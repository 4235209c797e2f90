import { isDeepStrictEqual } from 'node:util';
import type { AuditLine } from '@berth/db/changes/change-of';
import { publicResource, type ResourceRecord } from '../records/resource-record.ts';

/** Only the names of changed fields: props may be confidential. */
export const auditedResource =
  (action: 'create' | 'update' | 'delete') =>
  (row: ResourceRecord, before?: ResourceRecord): AuditLine => ({
    action,
    objectId: row.id,
    envId: row.env_id,
    details: {
      name: row.name,
      type_id: row.type_id,
      deployment_id: row.deployment_id,
      ...(action === 'update' && before && { changed: changedNames(before, row) }),
    },
  });

function changedNames(before: ResourceRecord, after: ResourceRecord): string[] {
  const [old, now] = [publicResource(before), publicResource(after)];
  const sealed = !isDeepStrictEqual(before.sealed_props, after.sealed_props);
  return [
    ...(old.name === now.name ? [] : ['name']),
    ...(isDeepStrictEqual(old.props, now.props) && !sealed ? [] : ['props']),
  ];
}
