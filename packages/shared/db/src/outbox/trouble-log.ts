import type { Logger } from 'pino';

export type TroubleLogger = Pick<Logger, 'info' | 'warn'>;

const remindMs = 60_000;

/** Logs when trouble begins, each minute while it lasts or returns, and when it is over. */
export function troubleLog(log: TroubleLogger, what: string) {
  let since: number | undefined;
  let loggedAt = Number.NEGATIVE_INFINITY;
  let logged = false;

  return {
    failed(error: unknown): void {
      const now = performance.now();
      since ??= now;
      if (now - loggedAt < remindMs) return;
      loggedAt = now;
      logged = true;
      log.warn({ err: error, seconds: Math.round((now - since) / 1000) }, what);
    },
    fine(): void {
      if (since === undefined) return;
      if (logged) log.info({ seconds: Math.round((performance.now() - since) / 1000) }, `over: ${what}`);
      since = undefined;
      logged = false;
    },
  };
}
