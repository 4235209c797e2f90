import type { HandlerContext } from '@berth/bus/rpc/handler';
import { withinMs } from '@berth/service/waiting/within-ms';
import { providerUnavailable } from './login-failure.ts';

/** Time to write down the answer and to send it. */
const marginMs = 500;

/** The work, or `unavailable` shortly before the caller stops waiting: a slow provider is not our time-out. */
export async function beforeDeadline<T>(
  { remainingMs }: Pick<HandlerContext, 'remainingMs'>,
  work: Promise<T>,
): Promise<T> {
  const done = await withinMs(
    Math.max(0, remainingMs() - marginMs),
    work.then((value) => ({ value })),
  );
  if (!done) throw providerUnavailable(new Error('no answer before the deadline of the request'));
  return done.value;
}
