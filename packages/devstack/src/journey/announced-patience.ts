import type { Patience } from '@berth/client';

/** Patience of a client that says, once for each reason, that it waits for the platform. */
export function announcedPatience(ms: number, say: (line: string) => void): Patience {
  let last = '';
  return {
    ms,
    onWait({ request, status, detail }) {
      const reason = status === 0 ? detail : `answered ${status}`;
      const line = `${request}: ${reason}; waiting for the platform, ${ms / 1_000} s at most`;
      // Not for every repeat.
      if (line !== last) say(line);
      last = line;
    },
  };
}
