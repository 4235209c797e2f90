import type { ChangeContext } from '@berth/db/changes/change-of';
import type { OnceContext } from '@berth/db/idempotency/once';

/**
 * A context by which a repeat of a creation is recognized by `request` instead of the body. Requests are remembered by a
 * hash with a key that lies in the same database, which is no protection for a short password in a dump of it. Contents
 * are therefore digested under the key of the configuration; a repeat after a rotation of that key counts as another
 * request and is refused.
 */
export function repeatableWith<Answer>(
  context: ChangeContext & OnceContext<Answer>,
  request: object,
): ChangeContext & OnceContext<Answer> {
  const { identity, requestId, permit, checkIfMatch, checkChange } = context;
  const repeatable = () => {
    const repeatable = context.repeatable();
    return repeatable && { ...repeatable, request };
  };
  return { identity, requestId, permit, checkIfMatch, checkChange, repeatable };
}
