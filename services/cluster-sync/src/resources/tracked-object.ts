import { hash } from 'node:crypto';
import type { SeenObject } from './seen-object.ts';

/** An object of a cluster as it becomes a row. */
export interface TrackedObject extends SeenObject {
  readonly deployment_id: string;
  /** Tells whether anything else of it changed, so that a row is written only then. */
  readonly fingerprint: string;
}

export function trackedObject({ uid, namespace, ...rest }: SeenObject, deploymentId: string): TrackedObject {
  const row = { uid, namespace, deployment_id: deploymentId, ...rest };
  return { ...row, fingerprint: hash('sha256', JSON.stringify(row), 'base64url') };
}
