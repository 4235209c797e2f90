import { nextTurn } from '@berth/service/waiting/next-turn';
import { pause } from '@berth/service/waiting/pause';

/** Limits the share of the event loop that the answers of one cluster take. */
export interface CpuShare {
  /** Runs a piece of work and counts its time. */
  run<T>(work: () => T): T;
  /** Whether `rest` is due. */
  isTired(): boolean;
  /** Yields to other work: for a turn of the event loop, or longer if the cluster has used up its share. */
  rest(signal: AbortSignal): Promise<void>;
}

export interface CpuShareOptions {
  /** A fraction of the time of this process. */
  readonly share?: number;
  /** Time that a cluster may take at once, as when everything is listed after a start. */
  readonly burstMs?: number;
  readonly now?: () => number;
}

const turnMs = 5;

/**
 * A hostile cluster may send endless answers within all other limits. It then gets a fifth of the time, a few milliseconds at once.
 * A real cluster does not use up its burst: 20,000 objects take some 3 s.
 */
export function cpuShare({
  share = 0.2,
  burstMs = 10_000,
  now = () => performance.now(),
}: CpuShareOptions = {}): CpuShare {
  let left = burstMs;
  let countedAt = now();
  let sinceRest = 0;

  return {
    run(work) {
      const began = now();
      left = Math.min(burstMs, left + (began - countedAt) * share);
      try {
        return work();
      } finally {
        countedAt = now();
        left -= countedAt - began;
        sinceRest += countedAt - began;
      }
    },

    isTired: () => left < 0 || sinceRest >= turnMs,

    async rest(signal) {
      sinceRest = 0;
      if (left < 0) await pause(-left / share, signal);
      else await nextTurn();
    },
  };
}
