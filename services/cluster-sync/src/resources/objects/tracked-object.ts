import { hash } from 'node:crypto';
import type { ObservedObject } from './observed-object.ts';

/** An object of a deployment, as its row is written. */
export interface TrackedObject extends ObservedObject {
  readonly deployment_id: string;
  /** A hash of all other fields: a row is written only if it differs. */
  readonly fingerprint: string;
}

export function trackedObject({ uid, namespace, ...rest }: ObservedObject, deploymentId: string): TrackedObject {
  const row = { uid, namespace, deployment_id: deploymentId, ...rest };
  const fingerprint = hash('sha256', JSON.stringify(row), 'base64url').slice(0, 22);
  // One is kept for each object, and a slice would keep the whole text.
  return { ...row, fingerprint: Buffer.from(fingerprint, 'latin1').toString('latin1') };
}
