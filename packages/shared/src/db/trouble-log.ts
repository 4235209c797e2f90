import type { Logger } from 'pino';

export type TroubleLogger = Pick<Logger, 'info' | 'warn'>;

const remindMs = 60_000;

/** One line when trouble begins, one each minute while it lasts, one when it is over. */
export function troubleLog(log: TroubleLogger, what: string) {
  let since: number | undefined;
  let told = 0;

  return {
    failed(error: unknown): void {
      const now = performance.now();
      since ??= now;
      if (told !== 0 && now - told < remindMs) return;
      told = now;
      log.warn({ err: error, seconds: Math.round((now - since) / 1000) }, what);
    },
    fine(): void {
      if (since === undefined) return;
      log.info({ seconds: Math.round((performance.now() - since) / 1000) }, `over: ${what}`);
      since = undefined;
      told = 0;
    },
  };
}
