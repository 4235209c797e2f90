import { isDeepStrictEqual } from 'node:util';
import type { InTransaction } from '../in-transaction.ts';
import { auditRow, type PublicRow } from './audit-row.ts';
import {
  type AuditAlso,
  type AuditLine,
  type ChangeContext,
  type Changed,
  changeOf,
  type Locked,
  shown,
} from './change-of.ts';

export interface Update<Store, Row, Public, Answer> extends Locked<Store, Row, Public> {
  /** The row with the requested values. If it is unchanged, nothing is written or recorded. */
  wanted: (before: Row) => Row;
  update: (store: Store, wanted: Row, before: Row, also: AuditAlso) => Promise<Row>;
  audited?: (after: Row, before: Row) => AuditLine;
  answer?: (row: Row, store: Store) => Answer | Promise<Answer>;
}

/** Changes a row for a caller: lock → permit → `If-Match` → write → audit log. See docs/decisions/0009. */
export const updateRow = <Store, Row extends PublicRow, Public extends object = Row, Answer = Public>(
  inTransaction: InTransaction<Store>,
  context: ChangeContext,
  resource: Changed,
  steps: Update<Store, Row, Public, Answer>,
): Promise<Answer> =>
  inTransaction(async (store, tx) => {
    const { also, audit, lock } = changeOf(tx, context, resource);
    const { wanted, update, audited, answer } = steps;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer is the public row unless the steps make another
    const answerOf = (row: Row) => (answer ? answer(row, store) : (shown(steps, row) as unknown as Answer));

    const before = await lock(store, steps);
    const desired = wanted(before);
    if (isDeepStrictEqual(desired, before)) {
      context.checkChange('nothing');
      return answerOf(before);
    }
    const after = await update(store, desired, before, also);
    const compared = { before: shown(steps, before), after: shown(steps, after) };
    await audit(audited?.(after, before) ?? auditRow(context, resource, compared));
    return answerOf(after);
  });
