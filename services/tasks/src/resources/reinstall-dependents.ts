import type { ResourceRecord } from '../records/resource-record.ts';
import type { WritingStore } from '../store/store.ts';

const byItself = { acting_user_id: null, acting_deployment_id: null, requester: null, request_id: null };

/** Queues a `Reinstall` of every enabled deployment that refers to the resource, and returns how many. */
export async function reinstallDependents(
  { reinstalls }: Pick<WritingStore, 'reinstalls'>,
  { id, name, origin }: Pick<ResourceRecord, 'id' | 'name' | 'origin'>,
  key: string,
): Promise<number> {
  const reason = `The resource ${key}/${name}, which it uses, has changed`;
  const item = { collection: 'deployment_resources', id };
  return (await reinstalls.ofDependents(item, reason, origin ?? byItself)).length;
}
