import { nextTurn } from '@berth/service/waiting/next-turn';
import { pause } from '@berth/service/waiting/pause';

/** How much of the event loop the answers of one cluster take. */
export interface CpuShare {
  /** Does a piece of work and counts its time. */
  run<T>(work: () => T): T;
  /** Whether `rest` is due. */
  isTired(): boolean;
  /** Lets the work of others go on: for a turn of the event loop, or longer if the cluster has used up its share. */
  rest(signal: AbortSignal): Promise<void>;
}

export interface CpuShareOptions {
  /** Of the time of this process. */
  readonly share?: number;
  /** What a cluster may take at once, as when all of it is listed after a start. */
  readonly burstMs?: number;
  readonly now?: () => number;
}

const turnMs = 5;

/**
 * A hostile cluster may answer within all limits and without end. It gets a fifth of the time then, in turns of milliseconds. A real
 * cluster does not use up its burst: 20,000 objects take some 3 s.
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
