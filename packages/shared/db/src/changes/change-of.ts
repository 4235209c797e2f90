import { envIdOf, type Resource } from '@berth/contracts/definition/contract';
import type { Recorded } from '@berth/contracts/definition/recorded';
import { found } from '@berth/contracts/errors';
import { type AuditEntry, type Doer, recordAudits } from '../audit/audit-log.ts';
import type { Transaction } from '../database.ts';
import { auditRow, type PublicRow } from './audit-row.ts';

/** What a change needs of the context of its handler. */
export interface ChangeContext extends Doer {
  permit(row: object): unknown;
  checkIfMatch(row: object): void;
  checkChange(recorded: Recorded | 'nothing'): void;
}

export type Changed = Pick<Resource, 'name' | 'state' | 'singular'>;

/** Audits rows of other resources that the same transaction changed. */
export interface AuditAlso {
  removed(resource: Pick<Resource, 'name' | 'state'>, rows: readonly PublicRow[], verb?: string): void;
}

/** A line of the audit log that says something else than which fields of the row differ. */
export interface AuditLine {
  /** A verb. */
  action: string;
  objectId: string;
  envId: string;
  /** Never a secret, nor what may be one. */
  details: AuditEntry['details'];
}

/** The row as callers see it, in the audit log and for `If-Match`, where what is stored has other fields. */
export interface Shown<Row, Public> {
  publicRow?: (row: Row) => Public;
}

/** A row that is locked before it is changed. */
export interface Locked<Store, Row, Public> extends Shown<Row, Public> {
  /** Locks the row until the end, after all that has to be locked before it. Null if the caller sees none. */
  lock: (store: Store) => Promise<Row | null>;
  /** What the rule of the operation is checked on, where it is not the row. */
  scope?: (before: Row) => object;
  /** Refusals of the caller that no rule expresses; they come before `If-Match`. */
  refuse?: (before: Row, store: Store) => void | Promise<void>;
}

/** Steps that all changes share, for one of them in its transaction. */
export function changeOf(tx: Transaction, context: ChangeContext, resource: Changed) {
  const others: AuditEntry[] = [];

  return {
    also: {
      removed: (other, rows, verb) => {
        others.push(...rows.map((before) => auditRow(context, other, { before }, verb)));
      },
    } satisfies AuditAlso,

    /** lock → permit → refusals → `If-Match` */
    async lock<Store, Row extends PublicRow, Public>(store: Store, steps: Locked<Store, Row, Public>): Promise<Row> {
      const before = found(await steps.lock(store), resource.singular);
      context.permit(steps.scope?.(before) ?? { ...before, env_id: envIdOf(resource, before) });
      await steps.refuse?.(before, store);
      context.checkIfMatch(shown(steps, before));
      return before;
    },

    /** Writes the audit log, and compares all that the transaction recorded with the contract. */
    async audit(own: AuditLine | AuditEntry): Promise<void> {
      await recordAudits(tx, [...others, { ...own, by: context, resource: resource.name }]);
      context.checkChange(tx.recorded);
    },
  };
}

/** The row itself, unless the steps show another. */
export const shown = <Row extends PublicRow, Public>({ publicRow }: Shown<Row, Public>, row: Row): Public & PublicRow =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without `publicRow` the public row is the row
  (publicRow ? publicRow(row) : row) as Public & PublicRow;
