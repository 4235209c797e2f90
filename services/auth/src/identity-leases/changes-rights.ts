import { AppError } from '@berth/contracts/errors';
import type { MakeGatewaysForget } from './make-gateways-forget.ts';

/**
 * Wraps the handler of an operation that changes an identity or its rights: it answers only when no gateway reuses an
 * identity that was read before the change.
 */
export type ChangesRights = <Request, Context, Answer>(
  handler: (request: Request, context: Context) => Promise<Answer>,
) => (request: Request, context: Context) => Promise<Answer>;

/** The errors that a repeat gets when the change was made but not answered: the row is gone, or no longer matches `If-Match`. */
const isOfRepeat = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'not_found' || error.code === 'stale');

export const createChangesRights =
  (makeGatewaysForget: MakeGatewaysForget): ChangesRights =>
  (handler) =>
  async (request, context) => {
    const outcome = await handler(request, context).then(
      (answer) => ({ answer }),
      (error: unknown) => {
        if (isOfRepeat(error)) return { error };
        throw error;
      },
    );
    // Even if nothing changed: this may repeat a change whose replica ended before it reached this point.
    await makeGatewaysForget();
    if ('error' in outcome) throw outcome.error;
    return outcome.answer;
  };
