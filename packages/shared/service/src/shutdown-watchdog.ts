import type { Logger } from 'pino';

/** Requests in flight get 20 s at shutdown; after this time, a shutdown is considered hanging. */
const shutdownLimitMs = 25_000;

/** Ends the process by force: a hanging shutdown would otherwise last until the supervisor's SIGKILL and log nothing. */
export function watchShutdown(signal: AbortSignal, log: Logger, limitMs = shutdownLimitMs): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const arm = () => {
    timer = setTimeout(() => {
      log.fatal(
        { after_ms: limitMs, open: process.getActiveResourcesInfo() },
        'the shutdown hangs; ending the process',
      );
      // oxlint-disable-next-line unicorn/no-process-exit -- the last resort described above
      process.exit(1);
    }, limitMs);
    timer.unref();
  };
  if (signal.aborted) arm();
  else signal.addEventListener('abort', arm, { once: true });

  return {
    [Symbol.dispose]() {
      signal.removeEventListener('abort', arm);
      clearTimeout(timer);
    },
  };
}
