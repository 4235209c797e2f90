import { allPids, commandOf, watchedProcesses } from '@berth/devstack/testing/watched-processes';
import { setTimeout as delay } from 'node:timers/promises';

/** Pids of Helm processes that work on a namespace, from /proc. */
export const helmProcesses = (namespace: string): number[] => helmsAmong(allPids(), namespace);

const helmsAmong = (pids: string[], namespace: string): number[] =>
  pids.filter((pid) => isHelmFor(namespace, commandOf(pid))).map(Number);

const isHelmFor = (namespace: string, [program = '', ...args]: string[]): boolean =>
  program.endsWith('/helm') && args.includes(namespace);

export interface HelmWatch extends AsyncDisposable {
  /** The highest number at any time. */
  most(): number;
}

/** Counts the Helm processes of a namespace every 25 ms. */
export function watchHelm(namespace: string): HelmWatch {
  const stopping = new AbortController();
  const due = watchedProcesses();
  let most = 0;
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      most = Math.max(most, helmsAmong(due(), namespace).length);
      await delay(25);
    }
  })();
  return {
    most: () => most,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await watching;
    },
  };
}
