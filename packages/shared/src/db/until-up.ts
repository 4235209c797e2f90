import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { LostConnection, NoAnswer } from './postgres-error.ts';

const waitMs = 500;

/** Tries again while Postgres cannot be reached; any other error, such as a wrong password, is thrown. */
export async function untilUp<T>(
  work: () => Promise<T>,
  { log, signal }: { log: Logger; signal?: AbortSignal | undefined },
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LostConnection || error instanceof NoAnswer)) throw error;
      if (attempt % 20 === 1) log.warn({ attempt, cause: error.cause?.message }, 'waiting for Postgres');
      await sleep(waitMs, undefined, { signal });
    }
  }
}
