import { hash } from 'node:crypto';
import type { ObservedObject } from './observed-object.ts';

/** An object of a deployment, as its row is written. */
export interface TrackedObject extends Pick<ObservedObject, 'uid' | 'namespace' | 'kind'> {
  /** A hash of the row, which is written only if it differs. */
  readonly fingerprint: string;
  /** The row as JSON: hundreds wait to be written, and one text takes less than the objects in it, and dies as one. */
  readonly row: string;
}

export interface TrackedRow extends ObservedObject {
  readonly deployment_id: string;
}

export function trackedObject({ uid, namespace, kind, ...rest }: ObservedObject, deployment_id: string): TrackedObject {
  const row = JSON.stringify({ uid, namespace, deployment_id, kind, ...rest } satisfies TrackedRow);
  const fingerprint = hash('sha256', row, 'base64url').slice(0, 22);
  // One is kept for each object, and a slice would keep the whole text.
  return { uid, namespace, kind, fingerprint: Buffer.from(fingerprint, 'latin1').toString('latin1'), row };
}
