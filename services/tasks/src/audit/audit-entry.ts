import type { Identity } from '@berth/shared/access/identity';
import type { JsonObject } from '@berth/shared/contracts/json';

/** Who does something, and for which request; the context of every handler is one. */
export interface Doer {
  /** None for what the platform does by itself. */
  readonly identity: Pick<Identity, 'kind' | 'id'> | undefined;
  readonly requestId: string | null;
}

export interface AuditEntry {
  by: Doer;
  /** What was done, as a verb. */
  action: string;
  /** The resource by its contract name. */
  resource: string;
  objectId: string;
  envId: string | null;
  details: JsonObject;
}
