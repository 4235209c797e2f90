/** Requests of all waits together, and waits that read at the same time, in all and at one cluster. */
const usual = { perSecond: 40, lanes: 8, perCluster: 4 };

interface WaitToRead {
  cluster: string;
  /** The pause that this wait needs between its reads, without others. */
  pauseMs: number;
  /** When it last read, by `performance.now()`. */
  lastAt: number;
}

/** A turn to read; others wait for its end. */
export interface ReadTurn extends Disposable {
  /** Counts a request. */
  spend(): void;
}

export interface ReadBudget {
  /** Resolves when it is the turn of this wait; rejects when the signal aborts. */
  turn(wait: WaitToRead, signal: AbortSignal): Promise<ReadTurn>;
}

interface Queued extends WaitToRead {
  begin(): void;
}

/** How long a wait has paused, as a multiple of the pause that it needs: with many waits, those of all grow alike. */
const stretch = ({ pauseMs, lastAt }: WaitToRead, now: number): number => (now - lastAt) / Math.max(1, pauseMs);

/**
 * Shares the reads of one runner among all waits for readiness, so that their number does not raise them. The wait that is most
 * overdue in proportion to its pause is next: short pauses, at the beginning of a wait, stay short beside hundreds of long ones.
 */
export function createReadBudget({ perSecond, lanes, perCluster } = usual): ReadBudget {
  const queue = new Set<Queued>();
  const readers = new Map<string, number>();
  let running = 0;
  let tokens = perSecond;
  let filledAt = performance.now();
  let timer: NodeJS.Timeout | undefined;

  function fill(now: number): void {
    tokens = Math.min(perSecond, tokens + ((now - filledAt) / 1_000) * perSecond);
    filledAt = now;
  }

  function beginDue(): void {
    clearTimeout(timer);
    for (;;) {
      const now = performance.now();
      fill(now);
      const free = [...queue].filter(({ cluster }) => (readers.get(cluster) ?? 0) < perCluster);
      if (running >= lanes || free.length === 0) return;
      if (tokens <= 0) return again(((1 - tokens) / perSecond) * 1_000);
      const next = free.reduce((most, one) => (stretch(one, now) > stretch(most, now) ? one : most));
      if (stretch(next, now) < 1) {
        return again(Math.min(...free.map(({ lastAt, pauseMs }) => lastAt + pauseMs - now)));
      }
      queue.delete(next);
      running += 1;
      readers.set(next.cluster, (readers.get(next.cluster) ?? 0) + 1);
      next.begin();
    }
  }

  function again(inMs: number): void {
    timer = setTimeout(beginDue, Math.ceil(inMs));
  }

  function turnOf(cluster: string): ReadTurn {
    let isOver = false;
    return {
      spend: () => {
        tokens -= 1;
      },
      [Symbol.dispose]() {
        if (isOver) return;
        isOver = true;
        running -= 1;
        const left = (readers.get(cluster) ?? 1) - 1;
        if (left === 0) readers.delete(cluster);
        else readers.set(cluster, left);
        beginDue();
      },
    };
  }

  return {
    turn: (wait, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const leave = () => {
          queue.delete(queued);
          reject(signal.reason);
        };
        const queued: Queued = {
          ...wait,
          begin() {
            signal.removeEventListener('abort', leave);
            resolve(turnOf(wait.cluster));
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        queue.add(queued);
        beginDue();
      }),
  };
}
