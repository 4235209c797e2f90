import type { Identity } from './identity.ts';

/** A request that was refused because its caller, who is known, lacks a role. */
export interface DeniedAttempt {
  identity: Identity;
  requestId: string;
  resource: string;
  operation: string;
  objectId: string | null;
  /** The env of the row that was checked by a rule. */
  envId: string | null;
}
