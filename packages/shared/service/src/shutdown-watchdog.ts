import type { Logger } from 'pino';

/** In-flight requests get 20 s at shutdown; a shutdown that takes longer than this hangs. */
const shutdownLimitMs = 25_000;

/**
 * The one place that ends the process by force: otherwise a hanging shutdown would last until the supervisor's SIGKILL and
 * leave nothing in the log.
 */
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
