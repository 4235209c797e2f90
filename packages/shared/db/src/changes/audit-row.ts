import { z } from 'zod';
import { envIdOf, type Resource } from '@berth/contracts/definition/contract';
import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';
import type { AuditEntry, Doer } from '../audit/audit-log.ts';
import { changedFields } from '../audit/changed-fields.ts';

export interface PublicRow {
  id: string;
}

/** A row before and after a change; `before` is absent for a new row, `after` for a deleted one. */
export type RowChange = { before: PublicRow; after?: PublicRow | undefined } | { before?: undefined; after: PublicRow };

type Changed = Pick<Resource, 'name' | 'state'>;

/** The audit entry of a changed row, with the fields that differ. `verb` replaces `create`, `update` or `delete`. */
export function auditRow(by: Doer, resource: Changed, change: RowChange, verb?: string): AuditEntry {
  const { before, after } = change;
  const row = change.before ? (change.after ?? change.before) : change.after;
  return {
    by,
    action: verb ?? (after ? (before ? 'update' : 'create') : 'delete'),
    resource: resource.name,
    objectId: row.id,
    envId: envIdOf(resource, row),
    details: changedFields(auditable(resource, before), auditable(resource, after)),
    compares: true,
  };
}

/**
 * The part of a row that the audit log may show: fields with a schema in the contract. Free JSON, such as inputs of a chart, may
 * hold anything, so only its presence is shown.
 */
function auditable({ state }: Changed, row: PublicRow | undefined): JsonObject | null {
  if (!isJsonObject(row)) return null;
  const fields = Object.entries(row).filter(([name]) => state === undefined || name in state.row.shape);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, isFree(state?.row.shape[name]) ? hidden(value) : value]),
  );
}

/** The size shows that a value changed without showing its content. */
const hidden = (value: JsonValue | undefined): JsonValue =>
  value === null || value === undefined ? null : `(not shown, ${Buffer.byteLength(JSON.stringify(value))} bytes)`;

function isFree(schema: unknown): boolean {
  let inner = schema;
  while (inner instanceof z.ZodNullable || inner instanceof z.ZodOptional) inner = inner.unwrap();
  return inner instanceof z.ZodCustom;
}
