export type Log = (line: string) => void;

const EVERY_MS = 10_000;

/** Reports work when it begins, and its duration every ten seconds until it is done. */
export async function withProgress<T>(log: Log, says: () => string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  log(`${says()} …`);
  const timer = setTimeout(() => {
    log(`${says()} … ${seconds(performance.now() - start)}`);
    timer.refresh();
  }, EVERY_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

function seconds(ms: number): string {
  const whole = Math.round(ms / 1000);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
