import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const pids = async () => (await readdir('/proc')).filter((name) => /^\d+$/.test(name));

const commandOf = async (pid: string) => (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');

const worksOn = (namespace: string, [program = '', ...args]: string[]) =>
  program.endsWith('/helm') && args.includes(namespace);

/** Pids of the Helm processes that work on a namespace, from /proc. */
export async function helmProcesses(namespace: string): Promise<number[]> {
  const working = await Promise.all(
    (await pids()).map(async (pid) => (worksOn(namespace, await commandOf(pid)) ? [Number(pid)] : [])),
  );
  return working.flat();
}

export interface HelmWatch extends AsyncDisposable {
  /** The largest number at one time. */
  most(): number;
}

/** A process that has just been forked has the command of its parent for a moment. */
const looksBeforeFinal = 20;

/**
 * Counts the Helm processes that work on a namespace every 25 ms. To read every command that often would keep half a core busy,
 * so processes that can no longer become Helm are left out. A runner keeps spare shells, which can.
 */
export function watchHelm(namespace: string): HelmWatch {
  const stopping = new AbortController();
  let most = 0;
  let looks = new Map<string, number>();

  async function look(): Promise<void> {
    const next = new Map<string, number>();
    let working = 0;
    for (const pid of await pids()) {
      const before = looks.get(pid) ?? 0;
      const isFinal = before >= looksBeforeFinal;
      const command = isFinal ? [] : await commandOf(pid);
      if (worksOn(namespace, command)) working += 1;
      const canBecomeHelm = ['sh', 'helm'].includes(basename(command[0] ?? ''));
      next.set(pid, canBecomeHelm ? 0 : before + 1);
    }
    looks = next;
    most = Math.max(most, working);
  }

  const looking = (async () => {
    while (!stopping.signal.aborted) {
      await look();
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
