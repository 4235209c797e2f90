import { readFile } from 'node:fs/promises';
import type { ChangingToken, PresentToken } from './cluster-provider.ts';

/** As in the Kubernetes clients: the kubelet replaces the file long before the token in it expires. */
const keepMs = 60_000;

/** The token in a file that somebody else keeps fresh. */
export function tokenFromFile(path: string): ChangingToken {
  let kept: { present: PresentToken; until: number } | null = null;

  return {
    source: `file ${path}`,
    async current() {
      if (kept && performance.now() < kept.until) return kept.present;
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        throw new Error(`the token file ${path} cannot be read (${error.code})`);
      });
      // How long it lasts is not written beside it; it is good for at least as long as it is kept.
      const present = { token: text.trim(), expiresAt: new Date(Date.now() + 2 * keepMs).toISOString() };
      kept = { present, until: performance.now() + keepMs };
      return present;
    },
  };
}
