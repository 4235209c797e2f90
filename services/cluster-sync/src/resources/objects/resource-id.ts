import { createHash } from 'node:crypto';

/**
 * The id of a tracked resource: a UUID (version 5) of the cluster and the object's uid. The uid alone would let one
 * cluster overwrite the rows of another; a random id would change when a row is deleted and inserted again.
 */
export function resourceId(clusterId: string, uid: string): string {
  const digest = createHash('sha1')
    .update(Buffer.from(clusterId.replaceAll('-', ''), 'hex'))
    .update(uid)
    .digest();
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = digest.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
