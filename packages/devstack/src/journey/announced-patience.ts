import type { Patience } from '@berth/client';

/** The patience of a client that announces waits for the platform once per reason. */
export function announcedPatience(ms: number, say: (line: string) => void): Patience {
  let last = '';
  return {
    ms,
    onWait({ request, status, detail }) {
      const reason = status === 0 ? detail : `answered ${status}`;
      const line = `${request}: ${reason}; waiting for the platform, ${ms / 1_000} s at most`;
      // Announced once, not for every repeat.
      if (line !== last) say(line);
      last = line;
    },
  };
}
