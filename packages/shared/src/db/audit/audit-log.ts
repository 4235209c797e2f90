import { sql } from 'slonik';
import { z } from 'zod';
import type { Identity } from '../../access/identity.ts';
import type { JsonObject } from '../../contracts/fields/json.ts';
import type { Queries, Transaction } from '../database.ts';

/** The actor of a change and its request; the context of every handler is one. */
export interface Doer {
  /** None for actions without a signed-in caller, and for the platform's own. */
  readonly identity: Pick<Identity, 'kind' | 'id'> | undefined;
  /** Null for actions outside of a request. */
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

/** Outside of a transaction only for what changes no row, such as a refused login. */
type AuditedTransaction = Pick<Queries, 'query'> & Partial<Pick<Transaction, 'noteRecorded'>>;

const nothing = sql.type(z.strictObject({}));

/** Call it in the transaction of the change: neither exists without the other. */
export const recordAudit = (db: AuditedTransaction, entry: AuditEntry): Promise<void> => recordAudits(db, [entry]);

/** One statement for any number of entries: a first login can add thousands of roles. */
export async function recordAudits(db: AuditedTransaction, entries: readonly AuditEntry[]): Promise<void> {
  for (const { resource } of entries) db.noteRecorded?.('audit', resource);
  if (entries.length === 0) return;
  const rows = entries.map(({ by, action, resource, objectId, envId, details }) => [
    by.identity?.kind ?? null,
    by.identity?.id ?? null,
    action,
    resource,
    objectId,
    envId,
    JSON.stringify(details),
    by.requestId,
  ]);
  await db.query(nothing`
    insert into audit_log (actor_kind, actor_id, action, resource, object_id, env_id, details, request_id)
    select * from ${sql.unnest(rows, ['text', 'uuid', 'text', 'text', 'uuid', 'uuid', 'jsonb', 'text'])}
  `);
}
