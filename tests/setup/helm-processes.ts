import { commandOf, watchedProcesses } from '@berth/devstack/testing/watched-processes';
import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** Pids of Helm processes that work on a namespace, from /proc. */
export async function helmProcesses(namespace: string): Promise<number[]> {
  return helmsAmong(
    (await readdir('/proc')).filter((name) => /^\d+$/.test(name)),
    namespace,
  );
}

async function helmsAmong(pids: string[], namespace: string): Promise<number[]> {
  const working = await Promise.all(
    pids.map(async (pid) => {
      const [program = '', ...args] = await commandOf(pid);
      return program.endsWith('/helm') && args.includes(namespace) ? [Number(pid)] : [];
    }),
  );
  return working.flat();
}

export interface HelmWatch extends AsyncDisposable {
  /** The highest number at any time. */
  most(): number;
}

/** Counts the Helm processes of a namespace every 25 ms. */
export function watchHelm(namespace: string): HelmWatch {
  const stopping = new AbortController();
  const due = watchedProcesses();
  let most = 0;
  const looking = (async () => {
    while (!stopping.signal.aborted) {
      most = Math.max(most, (await helmsAmong(await due(), namespace)).length);
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
