import { sql } from 'slonik';
import { z } from 'zod';
import type { Identity } from '../access/identity.ts';
import type { JsonObject } from '../contracts/json.ts';
import type { Queries } from './database.ts';

/** Who does something, and for which request; the context of every handler is one. */
export interface Doer {
  /** None for what nobody signed in did, and for what the platform does by itself. */
  readonly identity: Pick<Identity, 'kind' | 'id'> | undefined;
  /** Null for what no request asked for. */
  readonly requestId: string | null;
}

export interface AuditEntry {
  by: Doer;
  /** What was done, as a verb: `create`, `revoke`, `refuse login`. */
  action: string;
  /** The resource by its contract name. */
  resource: string;
  objectId: string | null;
  envId: string | null;
  /** Never a secret or a hash. */
  details: JsonObject;
}

const nothing = sql.type(z.strictObject({}));

/** In the transaction of what it tells about: neither is there without the other. */
export async function recordAudit(db: Pick<Queries, 'query'>, entry: AuditEntry): Promise<void> {
  const { by, action, resource, objectId, envId, details } = entry;
  await db.query(nothing`
    insert into audit_log (actor_kind, actor_id, action, resource, object_id, env_id, details, request_id)
    values (
      ${by.identity?.kind ?? null}, ${by.identity?.id ?? null}, ${action}, ${resource}, ${objectId}, ${envId},
      ${sql.jsonb(details)}, ${by.requestId}
    )
  `);
}
