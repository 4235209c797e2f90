import { sql } from 'slonik';
import { z } from 'zod';
import type { Identity } from '@berth/contracts/access/identity';
import type { JsonObject, JsonValue } from '@berth/contracts/fields/json';
import type { Queries, Transaction } from '../database.ts';

/** The actor of a change and its request; the context of every handler is one. */
export interface Doer {
  /** None for actions without a signed-in caller, and for the platform's own. */
  readonly identity: (Pick<Identity, 'kind' | 'id'> & { readonly token_id?: string | undefined }) | undefined;
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
  /** The details are pairs of `changedFields`. */
  compares?: true;
  /** `done` unless given. */
  result?: 'denied';
  /** How many attempts it stands for. */
  times?: number;
}

/** Outside of a transaction only for what changes no row, such as a refused login. */
type AuditedTransaction = Pick<Queries, 'query'> & Partial<Pick<Transaction, 'recorded'>>;

const nothing = sql.type(z.strictObject({}));
const columnTypes = 'text uuid uuid text text uuid uuid jsonb text bool text int4'.split(' ');

/** Call it in the transaction of the change: neither exists without the other. */
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
  await db.query(nothing`
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

/** A row may be large; its event says how large a value was that it leaves out. */
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

/** Shorter than the note that stands for a value that is left out. */
const alwaysShown = 64;

function bounded(value: JsonValue, room: number): JsonValue {
  const bytes = bytesOf(value);
  if (bytes <= Math.max(room, alwaysShown)) return value;
  // A pair stays one: each side has half of the room.
  if (Array.isArray(value) && value.length === 2) return value.map((side) => shortened(side, room / 2));
  return `(${bytes} bytes)`;
}

/** Hand-made details may have a field without a value. */
const bytesOf = (value: JsonValue | undefined): number => Buffer.byteLength(JSON.stringify(value ?? null));

function shortened(value: JsonValue, room: number): JsonValue {
  const bytes = bytesOf(value);
  return bytes <= Math.max(room, alwaysShown) ? value : `(${bytes} bytes)`;
}
