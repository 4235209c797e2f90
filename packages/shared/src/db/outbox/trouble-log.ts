import type { Logger } from 'pino';

export type TroubleLogger = Pick<Logger, 'info' | 'warn'>;

const remindMs = 60_000;

/** One line when trouble begins, one each minute while it lasts or comes back, one when it is over. */
export function troubleLog(log: TroubleLogger, what: string) {
  let since: number | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;
  let told = false;

  return {
    failed(error: unknown): void {
      const now = performance.now();
      since ??= now;
      if (now - toldAt < remindMs) return;
      toldAt = now;
      told = true;
      log.warn({ err: error, seconds: Math.round((now - since) / 1000) }, what);
    },
    fine(): void {
      if (since === undefined) return;
      if (told) log.info({ seconds: Math.round((performance.now() - since) / 1000) }, `over: ${what}`);
      since = undefined;
      told = false;
    },
  };
}
