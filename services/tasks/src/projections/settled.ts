import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@berth/shared/errors';

const patienceMs = 500;
const pauseMs = 30;

/** The fields that name rows of other services. */
const fromElsewhere = /(?:cluster_id|kind_id|helm_chart_id)$/;

/**
 * What another service has just accepted (a cluster's env, a new chart) reaches us some milliseconds later. A refusal
 * that rests on such news is looked at again for a moment, so that nobody is told that what they just made is not there.
 */
export async function settled<T>(look: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const end = performance.now() + patienceMs;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (!restsOnNews(error) || performance.now() > end) throw error;
      await sleep(pauseMs, undefined, { signal });
    }
  }
}

const restsOnNews = (error: unknown): boolean =>
  error instanceof AppError &&
  error.code === 'unprocessable' &&
  (error.errors ?? []).some(({ path }) => fromElsewhere.test(path));
