import { z } from 'zod';
import { envIdOf, type Resource } from '@berth/contracts/definition/contract';
import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';
import { type Doer, recordAudits } from '../audit/audit-log.ts';
import { changedFields } from '../audit/changed-fields.ts';
import type { Transaction } from '../database.ts';
import { recordStates, type StateChange } from '../outbox/outbox.ts';

export interface PublicRow {
  id: string;
}

/** One row before and after; without a before it is new, without an after it is deleted. */
export interface Change {
  before?: PublicRow;
  after?: PublicRow;
  /** As a verb; `create`, `update` or `delete` unless a better one says more. */
  action?: string | undefined;
}

type Changed = Pick<Resource, 'name' | 'state'>;

/** Records a change in its own transaction: the new state for followers, and a line in the audit log. */
export const recordChange = (tx: Transaction, by: Doer, resource: Changed, change: Change): Promise<void> =>
  recordChanges(tx, by, resource, [change]);

export async function recordChanges(
  tx: Transaction,
  by: Doer,
  resource: Changed,
  changes: readonly Change[],
): Promise<void> {
  const states = changes.map((change) => stateOf(resource, change));
  recordStates(tx, resource, states);

  const entries = changes.map((change, index) => {
    const { before, after, action = verbs[operationOf(change)] } = change;
    const details = changedFields(auditable(resource, before), auditable(resource, after));
    const { id: objectId = null, env_id: envId = null } = states[index] ?? {};
    return { by, action, resource: resource.name, objectId, envId, details, compares: true as const };
  });
  await recordAudits(tx, entries);
}

const verbs = { INSERT: 'create', UPDATE: 'update', DELETE: 'delete' } as const;

const operationOf = ({ before, after }: Change): StateChange['operation'] =>
  after ? (before ? 'UPDATE' : 'INSERT') : 'DELETE';

function stateOf(resource: Changed, change: Change): StateChange {
  const row = change.after ?? change.before;
  if (!row) throw new Error('A change has a row before or after it');
  return { id: row.id, env_id: envIdOf(resource, row), operation: operationOf(change), row };
}

/**
 * What the audit log may show of a row: the fields that its contract knows. Of free JSON, such as inputs of a chart, nobody knows
 * what it holds, so only that it is there.
 */
function auditable({ state }: Changed, row: PublicRow | undefined): JsonObject | null {
  if (!isJsonObject(row)) return null;
  const fields = Object.entries(row).filter(([name]) => state === undefined || name in state.row.shape);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, isFree(state?.row.shape[name]) ? hidden(value) : value]),
  );
}

/** The size shows that a value changed, and nothing of its content. */
const hidden = (value: JsonValue | undefined): JsonValue =>
  value === null || value === undefined ? null : `(not shown, ${Buffer.byteLength(JSON.stringify(value))} bytes)`;

function isFree(schema: unknown): boolean {
  let inner = schema;
  while (inner instanceof z.ZodNullable || inner instanceof z.ZodOptional) inner = inner.unwrap();
  return inner instanceof z.ZodCustom;
}
