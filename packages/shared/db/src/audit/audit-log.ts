import { sql } from 'slonik';
import type { Identity } from '@berth/contracts/access/identity';
import type { JsonObject, JsonValue } from '@berth/contracts/fields/json';
import type { Queries, Transaction } from '../database.ts';
import { statement } from '../statement.ts';

/** The actor of a change and its request; every handler's context satisfies this. */
export interface Doer {
  /** Null for actions without a signed-in caller, and for those of the platform itself. */
  readonly identity: (Pick<Identity, 'kind' | 'id'> & { readonly token_id?: string | undefined }) | undefined;
  /** Null for actions outside of a request. */
  readonly requestId: string | null;
}

export interface AuditEntry {
  by: Doer;
  /** The action as a verb: `create`, `revoke`, `refuse login`. */
  action: string;
  /** The resource by its contract name. */
  resource: string;
  objectId: string | null;
  envId: string | null;
  /** Never a secret or a hash. */
  details: JsonObject;
  /** The details are pairs from `changedFields`. */
  compares?: true;
  /** `done` unless given. */
  result?: 'denied';
  /** How many attempts the event counts. */
  times?: number;
}

/** Used outside a transaction only for events without a changed row, such as a refused login. */
type AuditedTransaction = Pick<Queries, 'query'> & Partial<Pick<Transaction, 'recorded'>>;

const columnTypes = 'text uuid uuid text text uuid uuid jsonb text bool text int4'.split(' ');

/** Must run in the transaction of the change, so that both are stored or neither is. */
export const recordAudit = (db: AuditedTransaction, entry: AuditEntry): Promise<void> => recordAudits(db, [entry]);

/** One statement for any number of entries: a first login can add thousands of roles. */
export async function recordAudits(db: AuditedTransaction, entries: readonly AuditEntry[]): Promise<void> {
  for (const { resource } of entries) db.recorded?.audit.add(resource);
  if (entries.length === 0) return;
  const rows = entries.map(({ by, action, resource, objectId, envId, details, compares, result, times }) => [
    by.identity?.kind ?? null,
    by.identity?.id ?? null,
    by.identity?.token_id ?? null,
    action,
    resource,
    objectId,
    envId,
    JSON.stringify(withinBounds(details)),
    by.requestId,
    compares ?? false,
    result ?? 'done',
    times ?? 1,
  ]);
  await db.query(statement`
    insert into audit_log (
      actor_kind, actor_id, token_id, action, resource, object_id, env_id, details, request_id, compares, result, times
    )
    select * from ${sql.unnest(rows, columnTypes)}
  `);
}

const mostBytesOfField = 4 * 1024;
/** The limit for all fields together, so that a page of events fits into one message. */
const mostBytes = 16 * 1024;
const mostFields = 50;

/** Replaces a value that is too large by a note of its size. */
export function withinBounds(details: JsonObject, most = mostBytes): JsonObject {
  let left = most;
  const fields = Object.entries(details).slice(0, mostFields);
  return Object.fromEntries(
    fields.map(([name, value]) => {
      const shown = bounded(value, Math.min(left, mostBytesOfField));
      left = Math.max(0, left - bytesOf(shown));
      return [name, shown];
    }),
  );
}

/** No longer than the note that would replace it. */
const alwaysShown = 64;

function bounded(value: JsonValue, room: number): JsonValue {
  const bytes = bytesOf(value);
  if (bytes <= Math.max(room, alwaysShown)) return value;
  // A pair remains a pair: each side gets half of the space.
  if (Array.isArray(value) && value.length === 2) return value.map((side) => shortened(side, room / 2));
  return `(${bytes} bytes)`;
}

/** Details written by hand may have fields without a value. */
const bytesOf = (value: JsonValue | undefined): number => Buffer.byteLength(JSON.stringify(value ?? null));

function shortened(value: JsonValue, room: number): JsonValue {
  const bytes = bytesOf(value);
  return bytes <= Math.max(room, alwaysShown) ? value : `(${bytes} bytes)`;
}
