import type { ChangeContext } from '@berth/db/changes/change-of';
import type { OnceContext } from '@berth/db/idempotency/once';

/**
 * A context that recognizes the repeat of a creation by `request` instead of the body. Stored request hashes use a key from the
 * same database, so a dump would not protect a short password. Contents are therefore digested under the configured key. After
 * a rotation of that key, a repeat counts as another request and is refused.
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
