import type { InTransaction } from '../in-transaction.ts';
import { auditRow, type PublicRow } from './audit-row.ts';
import { type AuditAlso, type ChangeContext, type Changed, changeOf, type Locked, shown } from './change-of.ts';

export interface Removal<Store, Row, Public> extends Locked<Store, Row, Public> {
  remove: (store: Store, before: Row, also: AuditAlso) => Promise<unknown>;
  /** The verb in the audit log, if it is not `delete`. */
  verb?: string;
}

/** Removes a row for a caller: lock → permit → `If-Match` → write → audit log. See docs/decisions/0009. */
export const removeRow = <Store, Row extends PublicRow, Public extends object = Row>(
  inTransaction: InTransaction<Store>,
  context: ChangeContext,
  resource: Changed,
  steps: Removal<Store, Row, Public>,
): Promise<null> =>
  inTransaction(async (store, tx) => {
    const { also, audit, lock } = changeOf(tx, context, resource);
    const before = await lock(store, steps);
    await steps.remove(store, before, also);
    await audit(auditRow(context, resource, { before: shown(steps, before) }, steps.verb));
    return null;
  });
