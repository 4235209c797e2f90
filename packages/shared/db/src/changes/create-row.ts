import { type OnceContext, once } from '../idempotency/once.ts';
import type { InTransaction } from '../in-transaction.ts';
import { auditRow, type PublicRow } from './audit-row.ts';
import {
  type AuditAlso,
  type AuditLine,
  type ChangeContext,
  type Changed,
  changeOf,
  shown,
  type Shown,
} from './change-of.ts';

export interface Creation<Store, Row, Public, Answer> extends Shown<Row, Public> {
  /** Must call `permit`, because the rule of a creation depends on the rows that the request names. */
  insert: (store: Store, also: AuditAlso) => Promise<Row>;
  audited?: (row: Row) => AuditLine;
  answer?: (row: Row, store: Store) => Answer | Promise<Answer>;
}

/** Creates a row for a caller: `once` → permit and write → audit log. See docs/decisions/0009. */
export const createRow = <Store, Row extends PublicRow, Public extends object = Row, Answer extends object = Public>(
  inTransaction: InTransaction<Store>,
  context: ChangeContext & OnceContext<Answer>,
  resource: Changed,
  { insert, audited, answer, ...steps }: Creation<Store, Row, Public, Answer>,
): Promise<Answer> =>
  inTransaction((store, tx) =>
    once(tx, context, async () => {
      const { also, audit } = changeOf(tx, context, resource);
      const row = await insert(store, also);
      await audit(audited?.(row) ?? auditRow(context, resource, { after: shown(steps, row) }));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer is the public row unless the steps make another
      return answer ? answer(row, store) : (shown(steps, row) as unknown as Answer);
    }),
  );
