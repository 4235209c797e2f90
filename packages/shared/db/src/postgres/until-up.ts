import { setTimeout as sleep } from 'node:timers/promises';
import { LostConnection, NoAnswer } from './errors/postgres-error.ts';
import { type TroubleLogger, troubleLog } from '../outbox/trouble-log.ts';

const waitMs = 500;

/** Retries while Postgres is unreachable; other errors, such as a wrong password, are thrown. */
export async function untilUp<T>(
  work: () => Promise<T>,
  { log, signal }: { log: TroubleLogger; signal?: AbortSignal | undefined },
): Promise<T> {
  const trouble = troubleLog(log, 'waiting for Postgres');
  for (;;) {
    signal?.throwIfAborted();
    try {
      const result = await work();
      trouble.fine();
      return result;
    } catch (error) {
      if (!(error instanceof LostConnection || error instanceof NoAnswer)) throw error;
      trouble.failed(error);
      await sleep(waitMs, undefined, { signal });
    }
  }
}
