import type { Identity } from './identity.ts';

/** A request of a known caller that was refused for want of a role. */
export interface DeniedAttempt {
  identity: Identity;
  requestId: string;
  resource: string;
  operation: string;
  objectId: string | null;
  /** The env of the row that the rule was checked on. */
  envId: string | null;
}
