import { found } from '@berth/contracts/errors';
import { type OnceContext, once } from '../idempotency/once.ts';
import type { InTransaction } from '../in-transaction.ts';
import { type AuditAlso, type AuditLine, type ChangeContext, type Changed, changeOf } from './change-of.ts';

export interface Action<Store, Target, Done, Answer> {
  /** Locks what it acts on until the end. Null if the caller sees none. */
  lock: (store: Store) => Promise<Target | null>;
  /** What the rule of the operation is checked on. */
  scope: (target: Target) => object;
  /** The row that `If-Match` names, where the operation takes it. */
  matched?: (target: Target) => object;
  run: (store: Store, target: Target, also: AuditAlso) => Promise<Done>;
  audited: (done: Done, target: Target) => AuditLine;
  answer: (done: Done, store: Store) => Answer | Promise<Answer>;
}

/**
 * Does for a caller what is more than writing one row, such as retry, cancel or rollback: `once`, where it creates →
 * lock → permit → `If-Match` → write → audit log. See docs/decisions/0009.
 */
export const runAction = <Store, Target, Done, Answer extends object>(
  inTransaction: InTransaction<Store>,
  context: ChangeContext & OnceContext<Answer>,
  resource: Changed,
  { lock, scope, matched, run, audited, answer }: Action<Store, Target, Done, Answer>,
): Promise<Answer> =>
  inTransaction((store, tx) =>
    // Only creations have an `Idempotency-Key`.
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
