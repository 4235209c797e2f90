import type { HandlerContext } from '@berth/bus/rpc/handler';
import { AppError } from '@berth/contracts/errors';
import { withinMs } from '@berth/service/waiting/within-ms';
import { providerUnavailable } from './login-failure.ts';

/** Time to store the answer and to send it. */
const marginMs = 500;

/** Throws `unavailable` just before the caller stops waiting, so that a slow provider does not look like a timeout of auth. */
export async function beforeDeadline<T>(
  { remainingMs }: Pick<HandlerContext, 'remainingMs'>,
  work: Promise<T>,
): Promise<T> {
  const done = await withinMs(
    Math.max(0, remainingMs() - marginMs),
    work.then((value) => ({ value })),
  );
  if (!done) throw providerUnavailable(new AppError('timeout', 'No answer before the deadline of the request'));
  return done.value;
}
