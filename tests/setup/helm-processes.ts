import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** Pids of the Helm processes that work on a namespace, from /proc. */
export async function helmProcesses(namespace: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const working = await Promise.all(
    pids.map(async (pid) => {
      const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
      const isHelm = args[0]?.endsWith('/helm') ?? false;
      return isHelm && args.includes(namespace) ? [Number(pid)] : [];
    }),
  );
  return working.flat();
}

export interface HelmWatch extends AsyncDisposable {
  /** The largest number at one time. */
  most(): number;
}

/** Counts the Helm processes that work on a namespace every 25 ms. */
export function watchHelm(namespace: string): HelmWatch {
  const stopping = new AbortController();
  let most = 0;
  const looking = (async () => {
    while (!stopping.signal.aborted) {
      most = Math.max(most, (await helmProcesses(namespace)).length);
      await delay(25);
    }
  })();
  return {
    most: () => most,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await looking;
    },
  };
}
