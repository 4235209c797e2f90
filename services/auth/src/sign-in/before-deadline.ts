import type { HandlerContext } from '@berth/shared/bus/bus';
import { providerUnavailable } from './login-failure.ts';

/** Time to write down the answer and to send it. */
const marginMs = 500;

/** The work, or `unavailable` shortly before the caller stops waiting: a slow provider is not our time-out. */
export async function beforeDeadline<T>(
  { remainingMs }: Pick<HandlerContext, 'remainingMs'>,
  work: Promise<T>,
): Promise<T> {
  const overdue = Promise.withResolvers<never>();
  const giveUp = () => overdue.reject(providerUnavailable(new Error('no answer before the deadline of the request')));
  const timer = setTimeout(giveUp, Math.max(0, remainingMs() - marginMs));
  try {
    return await Promise.race([work, overdue.promise]);
  } finally {
    clearTimeout(timer);
  }
}
