import { isJsonObject, type JsonObject } from '@berth/contracts/fields/json';
import { z } from 'zod';
import { resourceId } from './resource-id.ts';
import { isTrackedKind } from './tracked-kinds.ts';

const word = z.string().min(1).max(253);
const Owner = z.object({ apiVersion: word, kind: word, name: word, uid: word, controller: z.boolean().optional() });

/** The owner of an object, so that rows can be drawn as a tree. */
export interface Parent extends JsonObject {
  /** The id of its row; null if its kind is not tracked. The row may be missing if the owner was just deleted. */
  readonly resource_id: string | null;
  readonly kind: string;
  readonly api_version: string;
  readonly name: string;
}

/** The controller of an object, else its first owner; undefined if it has none. */
export function parentOf(metadata: JsonObject, clusterId: string): Parent | undefined {
  const references = metadata['ownerReferences'];
  if (!Array.isArray(references)) return undefined;
  const owners = references
    .slice(0, 20)
    .filter(isJsonObject)
    .flatMap((each) => Owner.safeParse(each).data ?? []);
  const owner = owners.find(({ controller }) => controller) ?? owners[0];
  if (!owner) return undefined;
  const { kind, apiVersion: api_version, name, uid } = owner;
  return { resource_id: isTrackedKind(kind, api_version) ? resourceId(clusterId, uid) : null, kind, api_version, name };
}
