import { envIdOf, type Resource } from '@berth/contracts/definition/contract';
import type { Transaction } from '../database.ts';
import { recordStates, type StateChange } from './outbox.ts';

interface Row {
  readonly id: string;
}

/** The rows that a statement returned. */
type Answered<R> = R | null | readonly R[];

const rowsOf = <R extends Row>(answered: Answered<R>): readonly R[] =>
  answered === null ? [] : 'id' in answered ? [answered] : answered;

/**
 * For the repository of a resource: records each row for followers and returns it. `publicRow` converts stored rows whose fields
 * differ from the contract.
 */
export function publishing<R extends Row = Row>(
  tx: Transaction,
  resource: Pick<Resource, 'name' | 'state'>,
  publicRow: (row: R) => object = (row) => row,
) {
  const as =
    (operation: StateChange['operation']) =>
    <Rows extends Answered<R>>(rows: Rows): Rows => {
      recordStates(
        tx,
        resource,
        rowsOf<R>(rows).map((row) => ({ id: row.id, env_id: envIdOf(resource, row), operation, row: publicRow(row) })),
      );
      return rows;
    };
  return { inserted: as('INSERT'), updated: as('UPDATE'), deleted: as('DELETE') };
}
