import { envIdOf, type Resource } from '../../contracts/definition/contract.ts';
import { isJsonObject, type JsonObject } from '../../contracts/fields/json.ts';
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
  await recordStates(tx, resource, states);

  const entries = changes.map((change, index) => {
    const { before, after, action = verbs[operationOf(change)] } = change;
    const details = changedFields(asJson(before), asJson(after));
    const { id: objectId = null, env_id: envId = null } = states[index] ?? {};
    return { by, action, resource: resource.name, objectId, envId, details };
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

const asJson = (row: PublicRow | undefined): JsonObject | null => (isJsonObject(row) ? row : null);
