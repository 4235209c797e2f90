import { hash } from 'node:crypto';
import type { ObservedObject } from './observed-object.ts';

/** An object of a cluster as it becomes a row. */
export interface TrackedObject extends ObservedObject {
  readonly deployment_id: string;
  /** Changes with anything else of it, so that a row is written only then. */
  readonly fingerprint: string;
}

export function trackedObject({ uid, namespace, ...rest }: ObservedObject, deploymentId: string): TrackedObject {
  const row = { uid, namespace, deployment_id: deploymentId, ...rest };
  return { ...row, fingerprint: hash('sha256', JSON.stringify(row), 'base64url') };
}
