import { hash } from 'node:crypto';
import type { ObservedObject } from './observed-object.ts';

/** An object of a deployment, as it is written to its row. */
export interface TrackedObject extends Pick<ObservedObject, 'uid' | 'namespace' | 'kind'> {
  /** A hash of the row, which is written only if it differs. */
  readonly fingerprint: string;
  /** The row as JSON: hundreds of rows wait to be written, and one string takes less memory than its objects. */
  readonly row: string;
}

export interface TrackedRow extends ObservedObject {
  readonly deployment_id: string;
}

export function trackedObject({ uid, namespace, kind, ...rest }: ObservedObject, deployment_id: string): TrackedObject {
  const row = JSON.stringify({ uid, namespace, deployment_id, kind, ...rest } satisfies TrackedRow);
  const fingerprint = hash('sha256', row, 'base64url').slice(0, 22);
  // Copied, since it is kept for each object and a slice would keep the whole string alive.
  return { uid, namespace, kind, fingerprint: Buffer.from(fingerprint, 'latin1').toString('latin1'), row };
}
