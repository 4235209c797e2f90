import type { Resource } from '../../contracts/contract.ts';
import { isJsonObject, type JsonObject } from '../../contracts/json.ts';
import { type Doer, recordAudits } from '../audit/audit-log.ts';
import { changedFields } from '../audit/changed-fields.ts';
import type { Transaction } from '../database.ts';
import { recordStates, type StateChange } from '../outbox/outbox.ts';

interface PublicRow {
  id: string;
}

/** One row before and after; without a before it is new, without an after it is deleted. */
export interface Change {
  before?: PublicRow;
  after?: PublicRow;
  envId: string | null;
  /** As a verb; `create`, `update` or `delete` unless a better one says more. */
  action?: string;
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
  await recordStates(tx, resource, changes.map(stateOf));

  const entries = changes.map((change) => {
    const { before, after, envId, action = verbs[operationOf(change)] } = change;
    const details = changedFields(asJson(before), asJson(after));
    return { by, action, resource: resource.name, objectId: rowOf(change).id, envId, details };
  });
  await recordAudits(tx, entries);
}

const verbs = { INSERT: 'create', UPDATE: 'update', DELETE: 'delete' } as const;

const operationOf = ({ before, after }: Change): StateChange['operation'] =>
  after ? (before ? 'UPDATE' : 'INSERT') : 'DELETE';

const stateOf = (change: Change): StateChange => {
  const row = rowOf(change);
  return { id: row.id, env_id: change.envId, operation: operationOf(change), row };
};

function rowOf({ before, after }: Change): PublicRow {
  const row = after ?? before;
  if (!row) throw new Error('A change has a row before or after it');
  return row;
}

const asJson = (row: PublicRow | undefined): JsonObject | null => (isJsonObject(row) ? row : null);
