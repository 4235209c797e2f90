import { isDeepStrictEqual } from 'node:util';
import { envIdOf, type Resource } from '@berth/contracts/definition/contract';
import { found } from '@berth/contracts/errors';
import type { JsonObject } from '@berth/contracts/fields/json';
import { type Doer, recordAudit } from '../audit/audit-log.ts';
import type { Recorded } from '@berth/contracts/definition/recorded';
import type { Database, Transaction } from '../database.ts';
import { type OnceContext, once } from '../idempotency/once.ts';
import { type Change, type PublicRow, recordChanges } from './record-change.ts';

/** What a change needs of the context of its handler. */
export interface ChangeContext extends Doer {
  permit(row: object): unknown;
  checkIfMatch(row: object): void;
  checkChange(recorded: Recorded | 'nothing'): void;
}

/** Names rows of another resource that the same transaction changed; also an empty list, where the contract names the resource. */
export type AlsoChanged = (resource: Changed, changes: readonly Change[]) => void;

type Changed = Pick<Resource, 'name' | 'state'>;
type Answered = Pick<Resource, 'name' | 'state' | 'singular'>;

/** For `also`: rows that the change has deleted. */
export const removed = (rows: readonly PublicRow[], action?: string): Change[] =>
  rows.map((before) => ({ before, action }));

/** A line of the audit log for a row that its repository publishes with each write. */
export interface Audited {
  action: string;
  objectId: string;
  envId: string;
  /** Never a secret, nor what may be one. */
  details: JsonObject;
}

interface Recording<Row> {
  /** The row for followers, the audit log and `If-Match`, where what is stored has other fields. */
  published?: (row: Row) => PublicRow;
  /** The verb of the audit log, where it is not `create`, `update` or `delete`. */
  action?: string;
  /** Where the repository publishes the row, since more than this change writes it: only the audit log is left to write. */
  audited?: (row: Row, before: Row | null) => Audited;
}

/** A new row. The rule of a creation depends on what the request names, so `insert` calls `permit`. */
export interface Insertion<Row, Answer> extends Recording<Row> {
  insert: (tx: Transaction, also: AlsoChanged) => Promise<Row>;
  answer?: (row: Row, tx: Transaction) => Answer | Promise<Answer>;
}

interface OfOneRow<Row> extends Recording<Row> {
  /** Locks the row until the end, after all that has to be locked before it. Null where the caller sees none. */
  lock: (tx: Transaction) => Promise<Row | null>;
  /** What the rule of the operation is checked on, where it is not the row. */
  scope?: (before: Row) => object;
  /** Refusals of the caller that no rule expresses; they come before `If-Match`. */
  refuse?: (before: Row, tx: Transaction) => void | Promise<void>;
}

export interface Update<Row, Answer> extends OfOneRow<Row> {
  /** The row as the request wants it. Where it is so already, nothing is written and nothing is recorded. */
  wanted: (before: Row) => Row;
  update: (tx: Transaction, wanted: Row, before: Row, also: AlsoChanged) => Promise<Row>;
  answer?: (row: Row, tx: Transaction) => Answer | Promise<Answer>;
}

export interface Removal<Row> extends OfOneRow<Row> {
  remove: (tx: Transaction, before: Row, also: AlsoChanged) => Promise<unknown>;
}

/**
 * The one path of a change that a caller requests: lock → permit → If-Match → write → outbox and audit log, in one
 * transaction, which may run more than once. See docs/decisions/0009.
 */
export function change<Row extends PublicRow, Answer extends object = Row>(
  db: Pick<Database, 'transaction'>,
  context: ChangeContext & OnceContext<Answer>,
  resource: Answered,
  steps: Insertion<Row, Answer>,
): Promise<Answer>;
export function change<Row extends PublicRow, Answer extends object | null = Row>(
  db: Pick<Database, 'transaction'>,
  context: ChangeContext,
  resource: Answered,
  steps: Update<Row, Answer>,
): Promise<Answer>;
export function change<Row extends PublicRow>(
  db: Pick<Database, 'transaction'>,
  context: ChangeContext,
  resource: Answered,
  steps: Removal<Row>,
): Promise<null>;
export function change<Row extends PublicRow, Answer extends object>(
  db: Pick<Database, 'transaction'>,
  context: ChangeContext & Partial<OnceContext<Answer>>,
  resource: Answered,
  steps: Insertion<Row, Answer> | Update<Row, Answer> | Removal<Row>,
): Promise<Answer | null> {
  return db.transaction(async (tx) => {
    const { published = asPublished, action, audited } = steps;
    const others = new Map<Changed, Change[]>();
    const also: AlsoChanged = (other, changes) => {
      others.set(other, [...(others.get(other) ?? []), ...changes]);
    };
    const record = async (before: Row | null, after: Row | null): Promise<void> => {
      const row = after ?? before;
      if (audited && row) await recordAudit(tx, { ...audited(row, before), by: context, resource: resource.name });
      else
        also(resource, [
          { ...(before && { before: published(before) }), ...(after && { after: published(after) }), action },
        ]);
      // Always in the same order, so that two changes of the same rows wait for each other and do not deadlock.
      const inOrder = [...others].sort(([a], [b]) => (a.name < b.name ? -1 : 1));
      for (const [changed, changes] of inOrder) await recordChanges(tx, context, changed, changes);
      context.checkChange(tx.recorded);
    };

    const answer = (row: Row): Answer | Promise<Answer> =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer is the row unless the steps make another
      'answer' in steps && steps.answer ? steps.answer(row, tx) : (row as unknown as Answer);

    if ('insert' in steps) {
      return await once(tx, { repeatable: () => context.repeatable?.() }, async () => {
        const after = await steps.insert(tx, also);
        await record(null, after);
        return answer(after);
      });
    }

    const before = found(await steps.lock(tx), resource.singular);
    context.permit(steps.scope?.(before) ?? { ...before, env_id: envIdOf(resource, before) });
    await steps.refuse?.(before, tx);
    context.checkIfMatch(published(before));
    if ('remove' in steps) {
      await steps.remove(tx, before, also);
      await record(before, null);
      return null;
    }

    const wanted = steps.wanted(before);
    if (isDeepStrictEqual(wanted, before)) {
      context.checkChange('nothing');
      return answer(before);
    }
    const after = await steps.update(tx, wanted, before, also);
    await record(before, after);
    return answer(after);
  });
}

const asPublished = (row: PublicRow): PublicRow => row;
