import { readFile } from 'node:fs/promises';
import { NoCredential } from '@berth/kube/kube-error';
import type { ChangingToken, PresentToken } from './cluster-provider.ts';

/** The same as in the Kubernetes clients: the kubelet replaces the file long before its token expires. */
const keepMs = 60_000;

/** The token in a file that another process refreshes. */
export function tokenFromFile(path: string): ChangingToken {
  let kept: { present: PresentToken; until: number } | null = null;

  return {
    source: `file ${path}`,
    async current() {
      if (kept && performance.now() < kept.until) return kept.present;
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        throw new NoCredential(`the token file ${path} cannot be read (${error.code})`);
      });
      // Its real expiry is unknown, but it is valid for at least as long as it is cached.
      const present = { token: text.trim(), expiresAt: new Date(Date.now() + 2 * keepMs).toISOString() };
      kept = { present, until: performance.now() + keepMs };
      return present;
    },
  };
}
