import { envIdOf, type Resource } from '@berth/contracts/definition/contract';
import type { Recorded } from '@berth/contracts/definition/recorded';
import { found } from '@berth/contracts/errors';
import { type AuditEntry, type Doer, recordAudits } from '../audit/audit-log.ts';
import type { Transaction } from '../database.ts';
import { auditRow, type PublicRow } from './audit-row.ts';

/** The part of a handler's context that a change needs. */
export interface ChangeContext extends Doer {
  permit(row: object): unknown;
  checkIfMatch(row: object): void;
  checkChange(recorded: Recorded | 'nothing'): void;
}

export type Changed = Pick<Resource, 'name' | 'state' | 'singular'>;

/** Adds audit entries for rows of other resources that the transaction changed. */
export interface AuditAlso {
  removed(resource: Pick<Resource, 'name' | 'state'>, rows: readonly PublicRow[], verb?: string): void;
}

/** An audit entry with other details than the changed fields of the row. */
export interface AuditLine {
  /** A verb. */
  action: string;
  objectId: string;
  envId: string | null;
  /** Never a secret, nor a value that may contain one. */
  details: AuditEntry['details'];
}

/** The row as callers see it, for the audit log and `If-Match`, if stored rows have other fields. */
export interface Shown<Row, Public> {
  publicRow?: (row: Row) => Public;
}

/** A row that is locked before it is changed. */
export interface Locked<Store, Row, Public> extends Shown<Row, Public> {
  /**
   * Locks the row until the transaction ends, after all rows that must be locked before it. Null if the caller does not see it.
   */
  lock: (store: Store) => Promise<Row | null>;
  /** The scope of the operation's rule, if it is not the row. */
  scope?: (before: Row) => object;
  /** Further reasons to refuse the caller, which no rule expresses; checked before `If-Match`. */
  refuse?: (before: Row, store: Store) => void | Promise<void>;
}

/** The steps that every change has in common, within one transaction. */
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

    /** Writes the audit entry and compares all that the transaction recorded with the contract. */
    async audit(own: AuditLine | AuditEntry): Promise<void> {
      await recordAudits(tx, [...others, { ...own, by: context, resource: resource.name }]);
      context.checkChange(tx.recorded);
    },
  };
}

/** The row itself unless the steps show another one. */
export const shown = <Row extends PublicRow, Public>({ publicRow }: Shown<Row, Public>, row: Row): Public & PublicRow =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without `publicRow` the public row is the row
  (publicRow ? publicRow(row) : row) as Public & PublicRow;
