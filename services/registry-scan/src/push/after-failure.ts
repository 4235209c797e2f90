import { backOffMs } from '@berth/contracts/back-off';
import { isOutage } from '@berth/contracts/errors';
import { RegistryError } from '../connection/registry-error.ts';
import { wordsOf } from '../connection/words-of.ts';

/** What becomes of a message: it is removed, comes back after a pause, or becomes a dead letter. */
export type Verdict = { is: 'done' } | { is: 'later'; afterMs: number } | { is: 'buried'; reason: string };

const mostReceives = 5;
const pauses = { firstMs: 10_000, longestMs: 15 * 60_000 };

/** Decides after the scan of what a message names failed at this receipt of it, from 1. An outage is waited for, however long. */
export function afterFailure(error: unknown, receives: number): Verdict {
  const mayEnd =
    isOutage(error) || isTimeout(error) || (error instanceof RegistryError && error.reason === 'unavailable');
  if (mayEnd || receives < mostReceives) return { is: 'later', afterMs: backOffMs(pauses, receives) };
  return { is: 'buried', reason: `it failed ${receives} times: ${wordsOf(error)}` };
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';
