import { found } from '@berth/contracts/errors';
import { type OnceContext, once } from '../idempotency/once.ts';
import type { InTransaction } from '../in-transaction.ts';
import { type AuditAlso, type AuditLine, type ChangeContext, type Changed, changeOf } from './change-of.ts';

export interface Action<Store, Target, Done, Answer> {
  /** Locks the row of the action until the transaction ends. Null if the caller does not see it. */
  lock: (store: Store) => Promise<Target | null>;
  /** The scope of the operation's rule. */
  scope: (target: Target) => object;
  /** The row that `If-Match` names, if the operation takes it. */
  matched?: (target: Target) => object;
  run: (store: Store, target: Target, also: AuditAlso) => Promise<Done>;
  audited: (done: Done, target: Target) => AuditLine;
  answer: (done: Done, store: Store) => Answer | Promise<Answer>;
}

/**
 * Runs an action that is more than writing one row, such as retry, cancel or rollback: `once` if it creates → lock → permit →
 * `If-Match` → write → audit log. See docs/decisions/0009.
 */
export const runAction = <Store, Target, Done, Answer extends object>(
  inTransaction: InTransaction<Store>,
  context: ChangeContext & OnceContext<Answer>,
  resource: Changed,
  { lock, scope, matched, run, audited, answer }: Action<Store, Target, Done, Answer>,
): Promise<Answer> =>
  inTransaction((store, tx) =>
    // Only operations that create take an `Idempotency-Key`.
    once(tx, context, async () => {
      const { also, audit } = changeOf(tx, context, resource);
      const target = found(await lock(store), resource.singular);
      context.permit(scope(target));
      if (matched) context.checkIfMatch(matched(target));
      const done = await run(store, target, also);
      await audit(audited(done, target));
      return answer(done, store);
    }),
  );
