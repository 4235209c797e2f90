import { randomBytes } from 'node:crypto';
import type { Bus } from '@berth/bus/bus';
import type { Attempts } from './attempts.ts';

export interface ShareAttemptsDeps {
  hints: Bus['hints'];
  /** The counters, by their name in messages. */
  attempts: Readonly<Record<string, Pick<Attempts, 'countElsewhere'>>>;
  signal: AbortSignal;
  everyMs?: number;
}

/** Attempts of networks above this number are not sent to the other replicas. */
const mostNetworks = 10_000;
/** Messages at a time, one for each network; the rest waits for the next turn. */
const mostMessages = 500;

const messageKey = /^(?<from>[0-9a-f]{16})-(?<kind>\w{1,20})-(?<times>\d{1,6})-(?<network>[\w-]{1,60})$/;

/**
 * Replicas send each other the attempts of each network that they have counted, once a second while there are any. Thus all
 * replicas together allow as much as one, plus the attempts within a second. Counts are not stored: a replica that fails loses
 * those of its last second, and a new one begins at zero.
 */
export function shareAttempts({ hints, attempts, signal, everyMs = 1_000 }: ShareAttemptsDeps) {
  const own = randomBytes(8).toString('hex');
  const counted = new Map<string, { kind: string; network: string; times: number }>();
  let timer: NodeJS.Timeout | undefined;

  hints.listen('attempts_made', take, { signal });
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });

  function take(key: string): void {
    const { from, kind = '', times, network = '' } = messageKey.exec(key)?.groups ?? {};
    if (from === undefined || from === own || !Object.hasOwn(attempts, kind)) return;
    attempts[kind]?.countElsewhere(Buffer.from(network, 'base64url').toString(), Number(times));
  }

  function send(): void {
    timer = undefined;
    const most = [...counted].sort(([, a], [, b]) => b.times - a.times).slice(0, mostMessages);
    for (const [name, { kind, network, times }] of most) {
      counted.delete(name);
      const key = `${own}-${kind}-${Math.min(times, 999_999)}-${Buffer.from(network).toString('base64url')}`;
      if (messageKey.test(key)) hints.send('attempts_made', key);
    }
    if (counted.size > 0) sendSoon();
  }

  function sendSoon(): void {
    if (!signal.aborted) timer ??= setTimeout(send, everyMs).unref();
  }

  return (kind: string, network: string): void => {
    const name = `${kind} ${network}`;
    const before = counted.get(name);
    if (before) before.times += 1;
    else if (counted.size < mostNetworks) counted.set(name, { kind, network, times: 1 });
    sendSoon();
  };
}
